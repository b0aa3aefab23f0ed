package match

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"warren/eval"
	"warren/internal/nearest"
)

// Names reads players as they are named on a command line:
//
//	random                                every action by chance
//	greedy                                the best turn by material, one turn deep
//	alphabeta:nodes=N,depth=N,time=1s     alpha-beta search by hand-written knowledge; also hash=MB
//	rollouts:visits=N                     tree search that judges a position by a random game
//	net:PATH,visits=N,temperature=T       tree search over a network
//	PATH                                  the same, where PATH ends in .safetensors
//	aei:COMMAND                           an outside engine, as ParseOutside reads it
//
// Options follow a colon, parted by commas. Any player takes label=LABEL, which
// it is then called by.
type Names struct {
	// Network opens a network's checkpoint, as device.Load does.
	Network func(path string) (*eval.Network, error)
	// Searcher holds what a network's name does not say: Search, Visits,
	// Temperature and TemperatureTurns.
	Searcher Searcher
}

// Entrant is a player with all that identifies it.
type Entrant struct {
	Player
	// Identity is everything that the player's play depends on: two games of
	// entrants with equal identities can be counted together.
	Identity string
	// Network is the network it plays with; nil if there is none.
	Network *eval.Network
}

// netSuffix ends the path of a network, which may be given without its kind.
const netSuffix = ".safetensors"

// kinds are the kinds of players, and the options each of them takes.
var kinds = []struct {
	name    string
	options []string
}{
	{"random", []string{"label"}},
	{"greedy", []string{"label"}},
	{"alphabeta", []string{"nodes", "depth", "time", "hash", "label"}},
	{"rollouts", []string{"visits", "label"}},
	{"net", []string{"visits", "temperature", "temperature-turns", "label"}},
	{"aei", nil},
}

// Parse returns the player that text names. An error is one line that says what
// is wrong and what would be right.
func (n *Names) Parse(text string) (*Entrant, error) {
	kind, rest, _ := strings.Cut(text, ":")
	if path, _, _ := strings.Cut(text, ","); strings.HasSuffix(path, netSuffix) && kind != "net" {
		kind, rest = "net", text
	}
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	i := slices.Index(names, kind)
	if i < 0 {
		hint := ""
		if near := nearest.Of(kind, names); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, fmt.Errorf("there is no player %q%s (players: %s, or the path of a network, which ends in %s)",
			text, hint, strings.Join(names, ", "), netSuffix)
	}
	if kind == "aei" {
		p, err := ParseOutside(rest)
		if err != nil {
			return nil, err
		}
		return &Entrant{Player: p, Identity: text}, nil
	}
	path := ""
	if kind == "net" {
		path, rest, _ = strings.Cut(rest, ",")
		if path == "" {
			return nil, fmt.Errorf("the player %q lacks the path of its network, as in net:runs/first/networks/gen-00040%s", text, netSuffix)
		}
	}
	o, err := parseOptions(kind, rest, kinds[i].options)
	if err != nil {
		return nil, err
	}
	var e *Entrant
	switch kind {
	case "random":
		e = &Entrant{Player: Random{}}
	case "greedy":
		e = &Entrant{Player: Greedy{}}
	case "alphabeta":
		e = &Entrant{Player: alphaBeta(o)}
	case "rollouts":
		p := &Rollouts{Visits: o.whole("visits", DefaultRollouts, 1, 1e6)}
		e = &Entrant{Player: p}
	case "net":
		if e, err = n.network(path, o); err != nil {
			return nil, err
		}
	}
	if o.err != nil {
		return nil, o.err
	}
	if e.Identity == "" {
		e.Identity = e.Name()
	}
	if label := o.values["label"]; label != "" {
		e.Player = named{e.Player, label}
	}
	return e, nil
}

// network returns a player that searches over the network at path.
func (n *Names) network(path string, o *options) (*Entrant, error) {
	if n.Network == nil {
		return nil, fmt.Errorf("networks cannot play here: %s", path)
	}
	p := n.Searcher
	p.Visits = o.whole("visits", p.Visits, 1, 1e6)
	p.Temperature = o.number("temperature", p.Temperature, 0, 10)
	p.TemperatureTurns = o.whole("temperature-turns", p.TemperatureTurns, 0, 1e4)
	if o.err != nil {
		return nil, o.err
	}
	c, err := n.Network(path)
	if err != nil {
		return nil, err
	}
	p.Label, p.Backend = c.Label(), c.Backend
	for _, key := range []string{"visits", "temperature", "temperature-turns"} {
		if v, ok := o.values[key]; ok {
			p.Label += "," + key + "=" + v
		}
	}
	return &Entrant{
		Player: &p, Network: c,
		Identity: fmt.Sprintf("net:%s,visits=%d,temperature=%g,temperature-turns=%d,search=%+v", c.Hash, p.Visits, p.Temperature, p.TemperatureTurns, p.Search),
	}, nil
}

// named is a player under another name.
type named struct {
	Player
	name string
}

func (n named) Name() string { return n.name }

// options are the key=value part of a player's name. The first value that is
// wrong is kept in err.
type options struct {
	kind   string
	values map[string]string
	err    error
}

// parseOptions reads options, of which those in allowed may occur, each once.
func parseOptions(kind, text string, allowed []string) (*options, error) {
	o := &options{kind: kind, values: map[string]string{}}
	if text == "" {
		return o, nil
	}
	for _, word := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(word, "=")
		if !slices.Contains(allowed, key) {
			hint := ""
			if near := nearest.Of(key, allowed); near != "" {
				hint = fmt.Sprintf("; did you mean %q?", near)
			}
			return nil, fmt.Errorf("the player %s has no option %q%s (options: %s)", kind, key, hint, strings.Join(allowed, ", "))
		}
		if !ok || value == "" {
			return nil, fmt.Errorf("the option %s of the player %s lacks its value: write %s=VALUE", key, kind, key)
		}
		if _, twice := o.values[key]; twice {
			return nil, fmt.Errorf("the option %s of the player %s is given twice", key, kind)
		}
		o.values[key] = value
	}
	return o, nil
}

func (o *options) fail(key, want string) {
	if o.err == nil {
		o.err = fmt.Errorf("the option %s=%s of the player %s must be %s", key, o.values[key], o.kind, want)
	}
}

// whole returns the value of a whole number, or otherwise if it is not given.
func (o *options) whole(key string, otherwise, low, high int) int {
	text, ok := o.values[key]
	if !ok {
		return otherwise
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < low || v > high {
		o.fail(key, fmt.Sprintf("a whole number from %d to %d", low, high))
	}
	return v
}

// number returns the value of a number, or otherwise if it is not given.
func (o *options) number(key string, otherwise, low, high float64) float64 {
	text, ok := o.values[key]
	if !ok {
		return otherwise
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || v < low || v > high {
		o.fail(key, fmt.Sprintf("a number from %g to %g", low, high))
	}
	return v
}

// duration returns the value of a time, 0 if it is not given.
func (o *options) duration(key string, low, high time.Duration) time.Duration {
	text, ok := o.values[key]
	if !ok {
		return 0
	}
	v, err := time.ParseDuration(text)
	if err != nil || v < low || v > high {
		o.fail(key, fmt.Sprintf("a time from %v to %v, such as 1s", low, high))
	}
	return v
}
