package arena

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"warren/game"
)

// A player that is described and made again plays the same game, and its actions alone give the same
// result.
func TestPortablePlayersPlayTheSame(t *testing.T) {
	sent := func(text string) *Entrant {
		t.Helper()
		e, err := (&Names{}).Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := e.Portable()
		if !ok {
			t.Fatalf("%s cannot be described", text)
		}
		again, err := p.Entrant()
		if err != nil || again.Name() != e.Name() || again.Identity != e.Identity {
			t.Fatalf("%s becomes %+v, %v", text, again, err)
		}
		return again
	}
	for number, names := range [][2]string{{"random:label=chance", "greedy"}, {"alphabeta:nodes=200", "rollouts:visits=4"}} {
		var games []*Played
		for _, entrant := range []func(string) *Entrant{sent, func(text string) *Entrant {
			e, err := (&Names{}).Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}} {
			f := Fixture{A: entrant(names[0]), B: entrant(names[1]), Number: number, Seed: 7, TurnLimit: 12}
			g, err := f.Play(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			again, err := f.Replay(g.Actions)
			if err != nil || !reflect.DeepEqual(g, again) {
				t.Errorf("the game %+v becomes %+v, %v", g, again, err)
			}
			games = append(games, g)
		}
		if !reflect.DeepEqual(games[0], games[1]) {
			t.Errorf("%v play another game when they are described", names)
		}
	}
	for _, text := range []string{"alphabeta:time=1s", "alphabeta:time=1s,label=slow", "aei:echo"} {
		e, err := (&Names{}).Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.Portable(); ok {
			t.Errorf("%s is said to be portable", text)
		}
		if _, err := (&Portable{Label: text, Player: text}).Entrant(); err == nil {
			t.Errorf("%s is made from a description", text)
		}
	}
}

// A network with a label is as portable as without. With a device of its own it is not, because its description
// does not hold that.
func TestPortableNetworks(t *testing.T) {
	for text, want := range map[string]string{
		"a.safetensors,label=me": "me", "a.safetensors,device=cpu": "", "a.safetensors,device=cpu,label=me": "", "a.safetensors,time=1s": "",
	} {
		e, err := names().Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := e.Portable(); ok != (want != "") || ok && p.Label != want {
			t.Errorf("%s is described as %+v, %t", text, p, ok)
		}
	}
}

func TestReplayRefusesWhatCannotBe(t *testing.T) {
	a, b := &Entrant{Player: Random{}}, &Entrant{Player: Greedy{}}
	f := Fixture{A: a, B: b, Seed: 3, TurnLimit: 10, Opening: RandomSetups{}.Opening(0, 3)}
	g, err := f.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other := slices.Clone(f.Opening)
	other[0] = other[0] ^ 1
	for what, actions := range map[string][]game.Action{
		"not over":        g.Actions[:len(g.Actions)-1],
		"after the end":   append(slices.Clone(g.Actions), g.Actions[len(g.Actions)-1]),
		"illegal":         append(slices.Clone(g.Actions[:len(f.Opening)]), 5000),
		"not that of the": append(other, g.Actions[len(other):]...),
	} {
		if _, err := f.Replay(actions); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
