package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"warren/game"
)

// Query is a line of input: a position or a game to analyse, or an action.
type Query struct {
	ID     string `json:"id"`     // chosen by the client, and repeated in every answer
	Action string `json:"action"` // "" or analyse; cancel; cancel_all; network

	Position string `json:"position"` // in short notation, with the side to move; or
	Moves    string `json:"moves"`    // a move list, handicap games included; without either, the empty board
	Turns    []int  `json:"turns"`    // after how many turns of both sides to analyse; absent: after the last

	Visits   *int     `json:"visits"`   // of the root; absent: as the command line says
	Seconds  *float64 `json:"seconds"`  // for a position; the search ends at the visits, too
	Steps    *int     `json:"steps"`    // that are listed; absent: 5
	Priors   bool     `json:"priors"`   // whether to list the prior of every legal step
	Report   *float64 `json:"report"`   // seconds from one partial answer to the next; absent: none
	Priority int      `json:"priority"` // positions of higher priority are begun first
}

// problem is an error in a field of a query.
type problem struct{ field, text string }

func (p *problem) Error() string { return p.text }

func wrong(field, format string, args ...any) error {
	return &problem{field, fmt.Sprintf(format, args...)}
}

// parse reads a line. Even if it fails, the query has the ID if there is one.
func parse(line []byte) (*Query, error) {
	var q Query
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(&q)
	if err == nil {
		if _, rest := d.Token(); rest != io.EOF {
			err = errors.New("there is more than one value in the line")
		}
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && kind.Field != "" {
		err = wrong(kind.Field, "%s is a JSON %s, and must be %s", kind.Field, kind.Value, article(kind.Type.Kind().String()))
	} else if field, ok := strings.CutPrefix(fmt.Sprint(err), "json: unknown field "); ok {
		err = wrong(strings.Trim(field, `"`), "a query has no field %s; docs/reference/analysis.md lists them", field)
	} else if err != nil {
		err = fmt.Errorf("this is no query: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if err != nil {
		var only struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(line, &only) == nil {
			q.ID = only.ID
		}
		return &q, err
	}
	return &q, q.check()
}

func article(kind string) string {
	switch kind {
	case "string":
		return "text"
	case "slice":
		return "a list"
	case "bool":
		return "true or false"
	case "int":
		return "a whole number"
	}
	return "a number"
}

// The largest values of a query.
const (
	MostVisits = 1_000_000
	mostTime   = 24 * 60 * 60 // seconds
	longestID  = 200          // bytes
)

var actions = []string{"", "analyse", "cancel", "cancel_all", "network"}

func (q *Query) check() error {
	switch {
	case len(q.ID) > longestID:
		return wrong("id", "the id has %d bytes, at most %d", len(q.ID), longestID)
	case q.ID == "" && q.Action != "cancel_all":
		return wrong("id", "a query needs an id, which its answers repeat")
	case !slices.Contains(actions, q.Action):
		return wrong("action", "there is no action %.40q: the actions are %s", q.Action, strings.Join(actions[1:], ", "))
	case q.Position != "" && q.Moves != "":
		return wrong("position", "give position or moves, not both")
	case q.Turns != nil && len(q.Turns) == 0:
		return wrong("turns", "turns is empty: leave it out for the last turn")
	case q.Visits != nil && (*q.Visits < 1 || *q.Visits > MostVisits):
		return wrong("visits", "visits is %d, must be from 1 to %d", *q.Visits, MostVisits)
	case q.Steps != nil && (*q.Steps < 0 || *q.Steps > game.NumActions):
		return wrong("steps", "steps is %d, must be from 0 to %d", *q.Steps, game.NumActions)
	case q.Priority < -1_000_000 || q.Priority > 1_000_000:
		return wrong("priority", "priority is %d, must be from -1000000 to 1000000", q.Priority)
	}
	for _, t := range []struct {
		field string
		value *float64
		least float64
	}{{"seconds", q.Seconds, 0.001}, {"report", q.Report, 0.01}} {
		if t.value != nil && !(*t.value >= t.least && *t.value <= mostTime) {
			return wrong(t.field, "%s is %g, must be from %g to %d", t.field, *t.value, t.least, mostTime)
		}
	}
	return nil
}

// maxActions is the number of actions of the longest game to analyse. Every position of it keeps those before.
const maxActions = 1 << 14

// positions returns the games to analyse, and after how many turns each is.
func (q *Query) positions() (games []*game.Game, turns []int, err error) {
	g, list := game.New(), &game.MoveList{}
	switch {
	case q.Position != "":
		b, side, err := game.ParsePosition(q.Position)
		if err != nil {
			return nil, nil, wrong("position", "%v", err)
		}
		g = game.FromBoard(b, side)
	case q.Moves != "":
		if list, err = game.ParseHandicapList(q.Moves); err != nil {
			return nil, nil, wrong("moves", "%v", err)
		}
		if n := len(list.Actions); n > maxActions {
			return nil, nil, wrong("moves", "the game has %d steps and placements, and may have %d", n, maxActions)
		}
	}
	last, at := 0, map[int]*game.Game{} // the positions that are asked for, by turn
	for _, n := range q.Turns {
		at[n] = g.Clone()
	}
	for _, a := range list.Actions {
		side := g.Side()
		if g.PlayHandicap(a, list.Missing); g.Side() == side && !g.Result().Over() {
			continue
		}
		if last++; at[last] != nil {
			at[last] = g.Clone()
		}
	}
	if q.Turns == nil {
		return []*game.Game{g}, []int{last}, nil
	}
	for _, n := range q.Turns {
		if n < 0 || n > last {
			return nil, nil, wrong("turns", "turns has %d, and the game has %d turns", n, last)
		}
		games, turns = append(games, at[n]), append(turns, n)
	}
	return games, turns, nil
}

// seconds returns a field in seconds, or 0 if it is absent.
func seconds(value *float64) time.Duration {
	if value == nil {
		return 0
	}
	return time.Duration(*value * float64(time.Second))
}
