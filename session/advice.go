package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"warren/eval"
	"warren/game"
	"warren/gather"
	"warren/mcts"
	"warren/tactics"
)

// ErrNoAdviser says that a session has no network to ask.
var ErrNoAdviser = errors.New("there is no network to ask")

// MaxVisits bounds the visits of a hint.
const MaxVisits = 1_000_000

// Adviser is a network that evaluates positions and gives hints.
type Adviser struct {
	Stream eval.Stream
	Search mcts.Config
	Visits int // root visits for each step of a hint, from 1 to MaxVisits
}

// Advice is what a search of the present position has found.
type Advice struct {
	Visits  int              // root visits of each step's search
	Value   float32          // chance to win of the side to move, 0 to 1, after the search
	Network float32          // the same by the network alone
	Steps   []mcts.MoveStats // the legal actions, those with the most visits first
	Line    []game.Action    // the principal variation, over any number of turns
	Turn    []game.Action    // the rest of the turn to play; each step has a search of its own
	Wins    bool             // whether Turn wins at once
}

// HasAdviser reports whether there is a network to ask.
func (s *Session) HasAdviser() bool { return s.adviser != nil }

// Evaluate returns the chance to win of the side to move, 0 to 1, by the network
// without a search.
func (s *Session) Evaluate() (float32, error) {
	if err := s.askable(); err != nil {
		return 0, err
	}
	g := s.history.game
	return s.adviser.evaluate(g)
}

// Hint searches for what to play now, with the given number of root visits for
// each step, from 1 to [MaxVisits]; 0 is the adviser's own number. It calls
// report, which may be nil, with the visits done so far and an estimate of all.
// The game stays as it is.
func (s *Session) Hint(ctx context.Context, visits int, report func(done, total int)) (*Advice, error) {
	if err := s.askable(); err != nil {
		return nil, err
	}
	if visits == 0 {
		visits = s.adviser.Visits
	}
	if visits < 1 || visits > MaxVisits {
		return nil, fmt.Errorf("a hint of %d visits: must be from 1 to %d", visits, MaxVisits)
	}
	if report == nil {
		report = func(int, int) {}
	}
	return s.adviser.advise(ctx, s.history.game, visits, report)
}

// askable returns an error if there is nothing to evaluate or no network to
// ask.
func (s *Session) askable() error {
	if err := s.ongoing(); err != nil {
		return err
	}
	if s.adviser == nil {
		return ErrNoAdviser
	}
	return nil
}

// evaluate returns the network's chance to win of the side to move.
func (a *Adviser) evaluate(g *game.Game) (float32, error) {
	var b eval.Batch
	b.Add(g, g.Legal(nil))
	err := eval.Evaluate(a.Stream, &b)
	return b.Value(0), err
}

// advise searches step by step to the end of the turn.
func (a *Adviser) advise(ctx context.Context, g *game.Game, visits int, report func(done, total int)) (*Advice, error) {
	s := mcts.New(a.Search, visits)
	s.Reset(g)
	advice := &Advice{Visits: visits}
	var err error
	if advice.Network, err = a.evaluate(g); err != nil {
		return nil, err
	}
	total := visits * g.ActionsLeft()
	var leaves gather.Leaves
	for step := 0; s.Game().Side() == g.Side() && !s.Game().Result().Over(); step++ {
		err := leaves.Search(ctx, s, a.Stream, visits, nil, func() { report(step*visits+s.Simulations(), total) })
		if err != nil {
			return nil, err
		}
		if step == 0 {
			advice.Value, advice.Steps, advice.Line = s.Value(), s.Root(nil), s.PV(nil)
		}
		best, ok := s.Outcome(0, nil)
		if !ok {
			break
		}
		advice.Turn = append(advice.Turn, best.Action)
		s.Advance(best.Action)
	}
	if winning := tactics.Winning(g); winning != nil {
		advice.Turn, advice.Wins = winning, true
	}
	slices.SortStableFunc(advice.Steps, func(x, y mcts.MoveStats) int { return cmp.Compare(y.Visits, x.Visits) })
	return advice, nil
}
