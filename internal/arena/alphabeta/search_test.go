package alphabeta

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"warren/game"
	"warren/game/tactics"
	"warren/internal/gametest"
)

func turn(t *testing.T, e *Engine, g *game.Game, l Limits) Found {
	t.Helper()
	before := g.Hash()
	f := e.Turn(t.Context(), g, l)
	if g.Hash() != before {
		t.Fatal("the search changed the game")
	}
	mustBeTurn(t, g, f.Actions)
	return f
}

// minimax is the search without any pruning, ordering or memory.
func minimax(g *game.Game, depth, ply int) int32 {
	side := g.Side()
	if r := g.Result(); r.Over() {
		if r.Winner == side {
			return win - int32(ply)
		}
		return int32(ply) - win
	}
	if depth <= 0 && g.StepsLeft() == 4 {
		return evaluate(g.Board(), side)
	}
	legal := g.Legal(nil)
	if depth <= 0 && slices.Contains(legal, game.Pass) {
		legal = []game.Action{game.Pass}
	}
	best := int32(-win)
	mark := g.Mark()
	for _, a := range legal {
		rest := depth - 1
		if a == game.Pass {
			rest = depth - g.StepsLeft()
		}
		g.Play(a)
		score := minimax(g, rest, ply+1)
		if g.Side() != side {
			score = -score
		}
		g.Restore(mark)
		best = max(best, score)
	}
	return best
}

func TestSearchEqualsMinimax(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	e := New(1)
	e.plain = true
	wins := 0
	for n := range 40 {
		g := game.FromBoard(gametest.RandomBoard(rng, 1+n%3), game.Color(n%2))
		for range rng.IntN(6) {
			if legal := g.Legal(nil); len(legal) > 0 {
				g.Play(legal[rng.IntN(len(legal))])
			}
		}
		if g.Result().Over() {
			continue
		}
		for depth := 1; depth <= 3; depth++ {
			want := minimax(g, depth, 0)
			e.begin(t.Context(), g, Limits{Depth: depth})
			for d := 1; d <= depth; d++ { // iteration by iteration, as Turn does, with the same table
				e.search(d, 0, -win, win)
			}
			e.transpositions.clear()
			if got := e.search(depth, 0, -win, win); got != want {
				t.Fatalf("position %d, depth %d: %d, minimax finds %d\n%s", n, depth, got, want, game.FormatDiagram(g.Board(), g.TurnLabel()))
			}
			if want > win-maxPly || want < maxPly-win {
				wins++
			}
		}
	}
	if wins == 0 {
		t.Error("no position was decided within the depth")
	}
}

func TestSearchWithAndWithoutTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	e, bare := New(4), New(1)
	e.plain, bare.plain = true, true
	bare.transpositions.buckets = bare.transpositions.buckets[:1]
	for n := range 12 {
		g := game.FromBoard(gametest.RandomBoard(rng, 2), game.Color(n%2))
		if g.Result().Over() {
			continue
		}
		e.begin(t.Context(), g, Limits{Depth: 4})
		bare.begin(t.Context(), g, Limits{Depth: 4})
		with, without := e.search(4, 0, -win, win), bare.search(4, 0, -win, win)
		if with != without {
			t.Errorf("position %d: %d with the table, %d with one of four entries", n, with, without)
		}
		if e.nodes >= bare.nodes {
			t.Errorf("position %d: %d nodes with the table, %d without", n, e.nodes, bare.nodes)
		}
	}
}

func TestTurnIsLegalEverywhere(t *testing.T) {
	e := New(1)
	states := 0
	walk(6, 30, 40, func(g *game.Game) {
		if g.InSetup() {
			return
		}
		states++
		for _, nodes := range []int64{1, 30} {
			turn(t, e, g, Limits{Nodes: nodes})
		}
	})
	if states < 2500 {
		t.Errorf("only %d states", states)
	}
}

func TestTurnDependsOnPositionAndNodesOnly(t *testing.T) {
	used := New(1)
	states := 0
	walk(7, 8, 30, func(g *game.Game) {
		if g.InSetup() || g.StepsLeft() == 3 || g.Turns()%5 != 0 {
			return
		}
		states++
		first := turn(t, New(1), g, Limits{Nodes: 300})
		for range 2 { // the second time it has seen the position
			if second := turn(t, used, g, Limits{Nodes: 300}); !reflect.DeepEqual(first, second) {
				t.Fatalf("%+v, then %+v", first, second)
			}
		}
		if first.Nodes > 300 {
			t.Fatalf("%d nodes of 300", first.Nodes)
		}
	})
	if states < 50 {
		t.Errorf("only %d states", states)
	}
}

// The player of a number of nodes stays the same player, since ratings are relative to it.
func TestTurnsStayTheSame(t *testing.T) {
	var got []string
	walk(8, 6, 40, func(g *game.Game) {
		if !g.InSetup() && g.StepsLeft() == 4 && g.Turns()%16 == 8 && len(got) < 5 {
			f := turn(t, New(1), g, Limits{Nodes: 100_000})
			got = append(got, fmt.Sprintf("%s %d", game.FormatTurn(g, f.Actions), f.Score))
		}
	})
	want := []string{
		"Ed2n Ed3n Ed4n Ed5n 238", "Rb5w Rd5n Rd6n Rd7n 29996", "rc8w cd8w rb8w rf2s 29996", "db6w cd4w db4w rb2s 29996",
		"Eh1n Md2n Eh2n Eh3w -58",
	}
	if !slices.Equal(got, want) {
		t.Errorf("its turns and scores are %q, want %q", got, want)
	}
}

func TestTurnGoesOnFromWithinATurn(t *testing.T) {
	e, g, rng := New(1), game.New(), rand.New(rand.NewPCG(1, 1))
	for range 2 {
		for _, a := range Setup(g, rng) {
			g.Play(a)
		}
	}
	for g.StepsLeft() > 1 {
		g.Play(g.Legal(nil)[0])
		if f := turn(t, e, g, Limits{Depth: 2}); f.Depth != 2 {
			t.Errorf("with %d steps left and no limit but depth 2, the search ends at depth %d", g.StepsLeft(), f.Depth)
		}
	}
}

func TestTurnSolves(t *testing.T) {
	for _, c := range []struct {
		name  string
		side  game.Color
		ranks []string
		nodes int64
		after func(g *game.Game) bool
	}{
		{"goal in four", game.Gold, []string{
			"rrr..rrr",
			"........",
			"........",
			"........",
			"....R...",
			"........",
			"........",
			"RRR..RRR"}, 1, func(g *game.Game) bool { return g.Result() == game.Result{Winner: game.Gold, Reason: game.Goal} }},
		{"capture", game.Gold, []string{
			"rrr.rrrr",
			"........",
			"...c....",
			"...E....",
			"........",
			"........",
			"e.......",
			"RRR..RRR"}, 2000, func(g *game.Game) bool { return g.Board().Pieces(game.Silver, game.Cat) == 0 }},
		{"stop a goal", game.Silver, []string{
			".rr..rrr",
			"........",
			"R.......",
			"...e....",
			"........",
			"........",
			"........",
			"RRR..RRR"}, 20000, func(g *game.Game) bool { return tactics.Winning(g) == nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := position(t, c.side, c.ranks...)
			f := turn(t, New(0), g, Limits{Nodes: c.nodes})
			for _, a := range f.Actions {
				g.Play(a)
			}
			if !c.after(g) {
				t.Errorf("played %v, score %d\n%s", f.Actions, f.Score, game.FormatDiagram(g.Board(), ""))
			}
		})
	}
}

// countdown is a context that ends after it was looked at a number of times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

func TestTurnEndsWithTheContext(t *testing.T) {
	g := game.FromBoard(gametest.RandomBoard(rand.New(rand.NewPCG(8, 8)), 8), game.Gold)
	for looks := range 3 {
		f := New(1).Turn(&countdown{t.Context(), looks}, g, Limits{})
		if f.Nodes > int64(1100*looks) || looks > 0 && f.Depth == 0 {
			t.Errorf("a context that ended at look %d: %d nodes, depth %d", looks, f.Nodes, f.Depth)
		}
		mustBeTurn(t, g, f.Actions)
	}
}

func TestSearchDoesNotAllocate(t *testing.T) {
	e := New(1)
	g := game.FromBoard(gametest.RandomBoard(rand.New(rand.NewPCG(9, 9)), 8), game.Gold)
	// Each iteration allocates a few results; nodes allocate nothing.
	few := testing.AllocsPerRun(3, func() { turn(t, e, g, Limits{Nodes: 1000}) })
	many := testing.AllocsPerRun(3, func() { turn(t, e, g, Limits{Nodes: 20000}) })
	if many > few+60 {
		t.Errorf("%v allocations in 1,000 nodes, %v in 20,000", few, many)
	}
}
