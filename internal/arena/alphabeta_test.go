package arena

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/game"
)

func TestAlphaBetaBeatsRandomAndIsRepeatable(t *testing.T) {
	r := Rules{Seed: 3, TurnLimit: 120}
	player := AlphaBeta{Nodes: 100, HashMB: 1}
	score, games := play(t, r, 4, player, Random{})
	if score.Wins < 3 {
		t.Errorf("%s against random: %v", player.Name(), score)
	}
	_, again := play(t, r, 4, player, Random{})
	for i, g := range games {
		if !slices.Equal(g.Actions, again[i].Actions) {
			t.Errorf("game %d is not the same again", i)
		}
	}
	if slices.Equal(games[0].Actions[:16], games[2].Actions[:16]) && slices.Equal(games[1].Actions[16:32], games[3].Actions[16:32]) {
		t.Error("two pairs of games have the same setups")
	}
}

// What a search has found when the match is stopped is not played.
func TestAlphaBetaIsStopped(t *testing.T) {
	seat, err := AlphaBeta{Nodes: 50, HashMB: 1}.Sit(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	g := game.New()
	for g.InSetup() {
		g.Play(g.Legal(nil)[0])
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a, err := seat.Act(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("it plays %v, %v", a, err)
	}
}

func TestGreedyBeatsRandom(t *testing.T) {
	score, _ := play(t, Rules{Seed: 1, TurnLimit: 60}, 2, Greedy{}, Random{})
	if score.Wins < 2 {
		t.Errorf("greedy against random: %v", score)
	}
}

// TestSeatFindsItsPlace checks that a seat chooses again when it is asked about
// another game than it expects.
func TestSeatFindsItsPlace(t *testing.T) {
	seat, err := AlphaBeta{Nodes: 50, HashMB: 1}.Sit(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	g := game.New()
	for n := range 200 {
		legal := g.Legal(nil)
		if len(legal) == 0 {
			break
		}
		a, err := seat.Act(t.Context(), g)
		if err != nil || !slices.Contains(legal, a) {
			t.Fatalf("action %d: %d, %v", n, a, err)
		}
		if n%3 == 2 { // another player moves
			a = legal[n%len(legal)]
		}
		g.Play(a)
	}
}

func TestAlphaBetaNames(t *testing.T) {
	for want, p := range map[string]AlphaBeta{
		"alphabeta:nodes=2000":             {Nodes: 2000},
		"alphabeta:depth=4,time=1s,hash=8": {Depth: 4, Time: time.Second, HashMB: 8},
		"alphabeta":                        {},
	} {
		if got := p.Name(); got != want {
			t.Errorf("%+v is called %q, want %q", p, got, want)
		}
	}
	if _, err := (AlphaBeta{}).Sit(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("a player without limits sat down: %v", err)
	}
}

func TestAlphaBetaFromItsName(t *testing.T) {
	var names Names
	for text, want := range map[string]string{
		"greedy":                           "greedy",
		"alphabeta":                        "alphabeta:nodes=20000",
		"alphabeta:nodes=2000":             "alphabeta:nodes=2000",
		"alphabeta:time=50ms,depth=8":      "alphabeta:depth=8,time=50ms",
		"alphabeta:nodes=5,hash=4":         "alphabeta:nodes=5,hash=4",
		"alphabeta:nodes=5,label=baseline": "baseline",
	} {
		e, err := names.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() != want {
			t.Errorf("%s is called %q, want %q", text, e.Name(), want)
		}
	}
	for text, want := range map[string]string{
		"alphabeta:nodes=0": "without a limit", "alphabeta:node=5": "nodes?", "alphabeta:hash=0,time=0s": "without a limit", "alphabeta:time=fast": "time", "alphabeta:hash=4097": "hash: 4097 is out of range", "gredy": `"greedy"`,
	} {
		if _, err := names.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error that says %s", text, err, want)
		}
	}
}
