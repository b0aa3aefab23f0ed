package observe

import (
	"math"
	"math/bits"
	"sync"

	"warren/data"
	"warren/game"
)

// Searches counts what the searches of self-play decide and what the games come
// to. The zero value is ready to use. It replays every finished game once.
type Searches struct {
	mu     sync.Mutex
	totals SearchTotals
}

var _ Observer = (*Searches)(nil)

// SearchTotals are the counts of a Searches since it was made. Setups are left
// out. Entropies are in nats.
type SearchTotals struct {
	Searched      uint64  // searched steps of the finished games
	Full          uint64  // those of them with a full search
	Targets       uint64  // those of them with a policy target
	TargetEntropy float64 // of these targets together
	Priors        uint64  // full searches whose priors were seen; none if other machines play
	PriorEntropy  float64 // of these priors together
	Turns         uint64  // turns after the openings
	Passes        uint64  // those of them that the network ended before the fourth step
	Games         uint64  // finished games without a random opening
	Captures      uint64  // pieces captured in their first earlyTurns turns
}

// earlyTurns is the number of turns, of both players together, in which captures
// are counted.
const earlyTurns = 20

// Totals returns the current counts.
func (s *Searches) Totals() SearchTotals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.totals
}

// Less returns the counts since before.
func (t SearchTotals) Less(before SearchTotals) SearchTotals {
	return SearchTotals{
		t.Searched - before.Searched, t.Full - before.Full, t.Targets - before.Targets, t.TargetEntropy - before.TargetEntropy,
		t.Priors - before.Priors, t.PriorEntropy - before.PriorEntropy, t.Turns - before.Turns, t.Passes - before.Passes, t.Games - before.Games, t.Captures - before.Captures,
	}
}

// Observe counts an event.
func (s *Searches) Observe(e Event) {
	switch e := e.(type) {
	case *Acted:
		if !e.Decision.Full || len(e.Root) == 0 {
			return
		}
		h := 0.0
		for i := range e.Root {
			h += surprise(float64(e.Root[i].Prior))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.totals.Priors++
		s.totals.PriorEntropy += h
	case *GameEnded:
		counted := searchesOf(e.Record)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.totals.add(counted)
	}
}

func (t *SearchTotals) add(o SearchTotals) {
	t.Searched += o.Searched
	t.Full += o.Full
	t.Targets += o.Targets
	t.TargetEntropy += o.TargetEntropy
	t.Turns += o.Turns
	t.Passes += o.Passes
	t.Games += o.Games
	t.Captures += o.Captures
}

// searchesOf counts one game.
func searchesOf(r *data.Record) SearchTotals {
	var t SearchTotals
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if !d.Searched() || d.Action.IsPlacement() {
			continue
		}
		t.Searched++
		if d.Action == game.Pass {
			t.Passes++
		}
		if d.Full {
			t.Full++
		}
		if d.PolicyWeight > 0 {
			t.Targets++
			t.TargetEntropy += targetEntropy(d)
		}
	}
	t.Turns = uint64(r.Turns - r.Opening)
	if r.Opening == 0 {
		t.Games, t.Captures = 1, captures(r)
	}
	return t
}

// targetEntropy returns the entropy of a decision's policy target, in nats.
func targetEntropy(d *data.Decision) float64 {
	h := 0.0
	for _, p := range d.Target(nil) {
		h += surprise(float64(p.Share))
	}
	return h
}

// surprise returns the part of an entropy that an event of probability p has.
func surprise(p float64) float64 {
	if p <= 0 {
		return 0
	}
	return -p * math.Log(p)
}

// captures returns the pieces captured in the first earlyTurns turns of a game.
func captures(r *data.Record) uint64 {
	g := game.New()
	for i := range r.Decisions {
		if g.Turns() == earlyTurns {
			break
		}
		g.Play(r.Decisions[i].Action)
	}
	if g.InSetup() {
		return 0
	}
	return uint64(game.Placements - bits.OnesCount64(g.Board().Occupied()))
}
