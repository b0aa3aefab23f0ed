package dataset

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/template"

	"warren/data"
	"warren/internal/visible"
)

// origin is what games of one network have in common.
type origin struct {
	Run                         string
	Seed                        uint64
	Network, Settings, EvalPath string
	Generation                  int32
}

// facts are what a card says about all games.
type facts struct {
	origins  map[origin]int // games
	reasons  map[string]int // games
	Full     int            // positions with a full search
	Fast     int            // with a fast one
	Drawn    int            // placements that were drawn from the policy
	Policies int            // positions with a policy target
	Turns    int            // of all games
	Random   int            // games with a random opening, or one of an earlier game
	Unknown  int            // games whose opening is not known
}

func (f *facts) add(r *data.Record) {
	if f.origins == nil {
		f.origins, f.reasons = map[origin]int{}, map[string]int{}
	}
	f.origins[origin{r.Run, r.Seed, r.Network, r.Settings, r.EvalPath, r.Generation}]++
	f.reasons[r.Result.Reason.String()]++
	f.Turns += int(r.Turns)
	switch {
	case r.Opening > 0:
		f.Random++
	case r.Opening < 0:
		f.Unknown++
	}
	for i := range r.Decisions {
		d := &r.Decisions[i]
		switch {
		case d.Full:
			f.Full++
		case d.Drawn():
			f.Drawn++
		case d.Searched():
			f.Fast++
		}
		if d.PolicyWeight > 0 && !d.Drawn() {
			f.Policies++
		}
	}
}

// those returns the settings or networks that games have. If there are none of those that must be, the error names one.
func (f *facts) those(list []*Known) (had []*Known, err error) {
	for _, k := range list {
		if f.has(k.Hash) {
			had = append(had, k)
		} else if k.Must {
			err = fmt.Errorf("no game was played with %s (hash %s): name what the games were played with, or leave it out", k.Source, short(k.Hash))
		}
	}
	if len(had) > 0 {
		return had, nil
	}
	return nil, err
}

// has reports whether a game has this hash of its settings or its network.
func (f *facts) has(hash string) bool {
	for o := range f.origins {
		if hash == o.Settings || hash == o.Network {
			return true
		}
	}
	return false
}

// counted is the part of the data set in one split.
type counted struct {
	Name             string
	Games, Positions file
}

// card is what the template of the card has.
type card struct {
	Options
	facts
	Splits []counted
}

//go:embed card.tmpl
var cardText string

func (c *card) write(w io.Writer) error {
	t, err := template.New("card").Funcs(template.FuncMap{"inline": inline, "short": short, "code": code}).Parse(cardText)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := t.Execute(&text, c); err != nil {
		return fmt.Errorf("writing the card: %w", err)
	}
	_, err = w.Write(text.Bytes())
	return err
}

// Sum returns the games and the positions of all splits.
func (c *card) Sum() (s struct{ Games, Positions int }) {
	for _, p := range c.Splits {
		s.Games += p.Games.Rows
		s.Positions += p.Positions.Rows
	}
	return s
}

// Size returns the Hub's name for the number of positions.
func (c *card) Size() string {
	names := []string{"n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "n>1B"}
	i := 0
	for limit := 1000; i < len(names)-1 && c.Sum().Positions >= limit; limit *= 10 {
		i++
	}
	return names[i]
}

// Origin is a line of the table of origins.
type Origin struct {
	origin
	Games int
}

// Origins returns the origins in the order of their runs, seeds and generations.
func (c *card) Origins() []Origin {
	var all []Origin
	for o, n := range c.origins {
		all = append(all, Origin{o, n})
	}
	slices.SortFunc(all, func(a, b Origin) int {
		return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Generation, b.Generation),
			cmp.Compare(a.Network, b.Network), cmp.Compare(a.origin.Settings, b.origin.Settings), cmp.Compare(a.EvalPath, b.EvalPath))
	})
	return all
}

// end is a way in which games ended.
type end struct {
	Reason string
	Games  int
}

// Ends returns the ways in which games ended, in the order of their names.
func (c *card) Ends() []end {
	var all []end
	for _, reason := range slices.Sorted(maps.Keys(c.reasons)) {
		all = append(all, end{reason, c.reasons[reason]})
	}
	return all
}

// column describes a column of a table.
type column struct{ Name, Type, Doc string }

// GameColumns and PositionColumns describe the tables.
func (c *card) GameColumns() []column     { return columns(reflect.TypeFor[Game]()) }
func (c *card) PositionColumns() []column { return columns(reflect.TypeFor[Position]()) }

func columns(row reflect.Type) []column {
	var all []column
	for i := range row.NumField() {
		f := row.Field(i)
		all = append(all, column{f.Tag.Get("json"), typeName(f.Type), f.Tag.Get("doc")})
	}
	return all
}

// typeName returns the name of a column's type, as people who work with tables call it.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Slice:
		var fields []string
		for _, c := range columns(t.Elem()) {
			fields = append(fields, c.Name+": "+c.Type)
		}
		return "list of {" + strings.Join(fields, ", ") + "}"
	case reflect.Bool:
		return "bool"
	case reflect.String:
		return "string"
	}
	return t.Kind().String() // int32, float32 and so on
}

// inline returns text from a game for a cell of a table.
func inline(text string) string {
	text = visible.Text(text)
	for _, c := range []string{`\`, "`", "|", "*", "_", "[", "<", "&"} {
		text = strings.ReplaceAll(text, c, `\`+c)
	}
	return text
}

// short returns the beginning of a hash, which is enough to tell it from others.
func short(hash string) string { return hash[:min(len(hash), 16)] }

// code returns lines as a block of code.
func code(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
