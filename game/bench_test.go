package game

import (
	"context"
	"math/rand/v2"
	"testing"
)

// BenchmarkStepGenerationAndMake generates the legal steps of every reference
// position and makes and takes back each of them, on one core.
func BenchmarkStepGenerationAndMake(b *testing.B) {
	positions := references(b)
	var buf [MaxLegal]Action
	steps := 0
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range positions {
			mark := r.game.Mark()
			for _, a := range r.game.steps(buf[:0]) {
				r.game.Play(a)
				steps++
				r.game.Restore(mark)
			}
		}
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds()/1e6, "Msteps/s")
}

// BenchmarkUndo compares the two ways to return to a state after a step. It uses the
// last states, with their histories, of the real games that did not end on the
// board.
func BenchmarkUndo(b *testing.B) {
	var games []*Game
	for _, a := range archive(b) {
		if m, err := ParseMoveList(a.MoveList); err == nil && !m.Game.Result().Over() {
			games = append(games, m.Game)
		}
	}
	var buf [MaxLegal]Action
	run := func(name string, try func(g *Game, steps []Action)) {
		b.Run(name, func(b *testing.B) {
			steps := 0
			b.ReportAllocs()
			for b.Loop() {
				for _, g := range games {
					legal := g.Legal(buf[:0])
					try(g, legal)
					steps += len(legal)
				}
			}
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds()/1e6, "Msteps/s")
		})
	}
	run("Restore", func(g *Game, steps []Action) {
		mark := g.Mark()
		for _, a := range steps {
			g.Play(a)
			g.Restore(mark)
		}
	})
	child := New()
	run("CopyFrom", func(g *Game, steps []Action) {
		for _, a := range steps {
			child.CopyFrom(g)
			child.Play(a)
		}
	})
}

func BenchmarkPlayRandomGame(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	begin := New()
	g := New()
	actions := 0
	b.ReportAllocs()
	for b.Loop() {
		g.CopyFrom(begin)
		actions += playRandom(g, rng)
	}
	b.ReportMetric(float64(actions)/b.Elapsed().Seconds()/1e6, "Mactions/s")
}

func playRandom(g *Game, rng *rand.Rand) (actions int) {
	var buf [MaxLegal]Action
	for !g.Result().Over() {
		legal := g.Legal(buf[:0])
		g.Play(legal[rng.IntN(len(legal))])
		actions++
	}
	return actions
}

func BenchmarkPerft(b *testing.B) {
	g := references(b)[0].game
	nodes := uint64(0)
	for b.Loop() {
		n, _ := Perft(context.Background(), g, 4)
		nodes += n
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds()/1e6, "Mleaves/s")
}

// TestPlayingDoesNotAllocate tests that generating, making and taking back actions,
// copying and hashing do not allocate in the steady state.
func TestPlayingDoesNotAllocate(t *testing.T) {
	var (
		seed   = uint64(0)
		source = rand.NewPCG(1, seed)
		rng    = rand.New(source)
		begin  = New()
		g      = New()
		child  = New()
		buf    [MaxLegal]Action
		hashes uint64
	)
	// Play the same game every time, so that its history has the same length.
	play := func() {
		source.Seed(1, seed)
		g.CopyFrom(begin)
		for !g.Result().Over() {
			legal := g.Legal(buf[:0])
			mark := g.Mark()
			g.Play(legal[0])
			g.Restore(mark)
			child.CopyFrom(g)
			hashes ^= g.Hash() ^ g.EvalKey()
			g.Play(legal[rng.IntN(len(legal))])
		}
	}
	play()
	if n := testing.AllocsPerRun(5, play); n != 0 {
		t.Errorf("a game allocates %v times, want 0", n)
	}
	for _, r := range references(t)[:20] {
		if steps := r.game.steps(buf[:0]); len(steps) > 0 {
			r.game.Play(steps[0])
		}
		if n := testing.AllocsPerRun(5, func() { r.game.steps(buf[:0]) }); n != 0 {
			t.Errorf("turns.tsv:%d: generating steps allocates %v times, want 0", r.line, n)
		}
	}
}
