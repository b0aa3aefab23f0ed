package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/think"
	"warren/mcts"
)

// ErrNoAdviser says that a session has no network to ask.
var ErrNoAdviser = errors.New("there is no network to ask")

// MaxVisits bounds the visits of a hint.
const MaxVisits = 1_000_000

// adviceMemory limits the tree of a hint, in bytes. It is enough for MaxVisits.
const adviceMemory = 1 << 30

// Adviser is a network that evaluates positions and gives hints. It must be closed by
// [Adviser.Close].
type Adviser struct {
	engine *think.Engine
	visits int // root visits for each step of a hint
}

// NewAdviser returns an adviser that searches with the given number of root visits, from 1
// to [MaxVisits], for each step of a hint. It fails if the back end cannot open a stream.
func NewAdviser(network eval.Backend, search mcts.Config, visits int) (*Adviser, error) {
	// With one thread a hint depends only on the game.
	engine, err := think.New(think.Config{
		Search: search, Threads: 1, Batch: 1, Memory: adviceMemory, Keep: true, Tactics: true, Backend: network,
	})
	if err != nil {
		return nil, err
	}
	return &Adviser{engine, visits}, nil
}

// Close releases the network.
func (a *Adviser) Close() error { return a.engine.Close() }

// Advice is what a search of the present position has found.
type Advice struct {
	Visits  int                // root visits of each step's search
	Value   float32            // chance to win of the side to move, 0 to 1, after the search
	Network float32            // the same by the network alone
	Steps   []mcts.ActionStats // the legal actions, the first of Turn before all others, as mcts.Rank has them
	Line    []game.Action      // Turn and the principal variation after it, over any number of turns
	Turn    []game.Action      // the rest of the turn to play, as an engine would; each step has a search of its own
	Wins    bool               // whether Turn wins at once
}

// HasAdviser reports whether there is a network to ask.
func (s *Session) HasAdviser() bool { return s.adviser != nil }

// Evaluate returns the chance to win of the side to move, 0 to 1, by the network
// without a search.
func (s *Session) Evaluate() (float32, error) {
	if err := s.askable(); err != nil {
		return 0, err
	}
	return s.adviser.engine.Evaluate(s.history.game)
}

// Hint searches for what to play now, with the given number of root visits for
// each step, from 1 to [MaxVisits]; 0 is the adviser's own number. It calls
// report, which may be nil, with the visits done so far and an estimate of all.
// The game stays as it is.
func (s *Session) Hint(ctx context.Context, visits int, report func(done, total int)) (*Advice, error) {
	if err := s.askable(); err != nil {
		return nil, err
	}
	return s.adviser.Advise(ctx, s.history.game, visits, report)
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

// Advise searches g, whose game must not be over, step by step to the end of the turn. The
// visits and report are as for [Session.Hint].
func (a *Adviser) Advise(ctx context.Context, g *game.Game, visits int, report func(done, total int)) (*Advice, error) {
	if visits == 0 {
		visits = a.visits
	}
	if visits < 1 || visits > MaxVisits {
		return nil, fmt.Errorf("a hint of %d visits: must be from 1 to %d", visits, MaxVisits)
	}
	if report == nil {
		report = func(int, int) {}
	}
	defer a.engine.Forget()
	network, err := a.engine.Evaluate(g)
	if err != nil {
		return nil, err
	}
	total := visits * g.ActionsLeft()
	limits := think.Limits{Visits: visits, Progress: func(chosen, now int) { report(chosen*visits+now, total) }}
	value, steps, err := a.engine.Analyse(ctx, g, limits)
	if err != nil {
		return nil, err
	}
	turn, err := a.engine.Turn(ctx, g, limits, think.Draw{}, nil)
	if err != nil {
		return nil, err
	}
	mcts.Rank(steps, turn[0])
	after := g.Clone()
	for _, action := range turn {
		after.Play(action)
	}
	advice := &Advice{
		Visits: visits, Value: value, Network: network, Steps: steps, Turn: turn, Line: slices.Clone(turn),
		Wins: after.Result().Over() && after.Result().Winner == g.Side(),
	}
	if !after.Result().Over() {
		advice.Line = append(advice.Line, a.engine.Line(after)...)
	}
	return advice, nil
}
