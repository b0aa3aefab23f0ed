package game

import (
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
