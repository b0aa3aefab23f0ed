package data

import (
	"errors"
	"math/rand/v2"

	"warren/game"
)

// ErrEmpty is returned when samples are asked of a window that holds no position.
var ErrEmpty = errors.New("sampling: the replay window is empty")

// Sample is one position to learn from. Its memory is reused when it is filled again, so after
// a few rounds [Window.Sample] does not allocate.
type Sample struct {
	// Game is the state before the decision, its history included. Made when the sample is
	// first filled.
	Game *game.Game
	// Mirror asks for the sample to be shown left-right mirrored: the network's input
	// mirrored, and [game.Action.Mirror] of every action. Game and Actions themselves are not
	// mirrored. It is true for half of the positions after the setup and for none within it:
	// pieces are placed from file a on, so the mirror image of a half finished setup is a
	// state that cannot occur.
	Mirror bool
	// Actions are the visited actions in ascending order, and Policy the share of the visits
	// that each has: the policy target, which sums to 1 and is 0 for every other action.
	Actions []game.Action
	Policy  []float32
	// PolicyWeight is 1 where the visits are those of a full search, else 0.
	PolicyWeight float32
	// Value is the value target, the chance to win of the side to move: the game's outcome (1
	// or 0, in between if the game was stopped, 0.5 without a result), mixed with the search's
	// root value as the window was told to.
	Value float32

	search Decision
	source *packed
	index  int
}

// Sample fills samples with positions drawn from the window, each independently and each
// position as likely as any other. The same content of the window and state of rng give the
// same samples. It returns [ErrEmpty] if there is nothing to draw from. Games may be added
// meanwhile; the elements of samples belong to the caller.
func (w *Window) Sample(rng *rand.Rand, samples []Sample) error {
	if err := w.draw(rng, samples); err != nil {
		return err
	}
	for i := range samples {
		samples[i].fill(w.target)
	}
	return nil
}

// draw chooses the positions. It is the only part that needs the window locked.
func (w *Window) draw(rng *rand.Rand, samples []Sample) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.positions()
	if n == 0 {
		return ErrEmpty
	}
	for i := range samples {
		s := &samples[i]
		s.source, s.index = w.at(rng.IntN(n))
		s.Mirror = rng.IntN(2) == 1
	}
	return nil
}

// fill makes the sample of the chosen position by replaying the game up to it.
func (s *Sample) fill(target valueTarget) {
	p := s.source
	s.source = nil // or samples would keep games alive that have left the window
	if s.Game == nil {
		s.Game = game.New()
	}
	var start game.Game
	s.Game.CopyFrom(&start)
	for _, a := range p.actions[:p.plies[s.index]] {
		s.Game.Play(a)
	}
	if s.Game.InSetup() {
		s.Mirror = false
	}

	d := &s.search
	decodeSearch(p.searches[p.offsets[s.index]:], d)
	var total uint64
	for _, v := range d.Visits {
		total += uint64(v.Count)
	}
	s.Actions, s.Policy = s.Actions[:0], s.Policy[:0]
	for _, v := range d.Visits {
		s.Actions = append(s.Actions, v.Action)
		s.Policy = append(s.Policy, float32(float64(v.Count)/float64(total)))
	}
	s.PolicyWeight = 0
	if d.Full {
		s.PolicyWeight = 1
	}
	s.Value = target.of(p.result, s.Game.Side(), d.Value)
}

// valueTarget says what value a position teaches.
type valueTarget struct {
	rootWeight float32 // share of the search's root value, the outcome having the rest
	limit      float32 // outcome for who wins a stopped game by the score
}

// of returns the value target of a position of side, in a game that ended with r and whose
// search had the given root value.
func (t valueTarget) of(r game.Result, side game.Color, root float32) float32 {
	outcome := float32(1)
	switch {
	case !r.Over():
		outcome = 0.5
	case r.Reason == game.TurnLimit:
		outcome = t.limit
	}
	if r.Winner != side {
		outcome = 1 - outcome
	}
	return (1-t.rootWeight)*outcome + t.rootWeight*root
}
