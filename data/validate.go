package data

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"warren/game"
)

// maxText is the largest length of a record's strings, in bytes.
const maxText = 1 << 16

const (
	// sharesTolerance is the largest deviation from 1 of the sum of a policy target.
	sharesTolerance = 1e-4
	// weightsTolerance is the same for the mean of a record's policy weights, which are rounded.
	weightsTolerance = 1e-6
)

// Validate replays the game and reports the first error: an illegal action, a malformed search or
// target, or an outcome that does not follow from the actions.
func (r *Record) Validate() error {
	if err := r.validate(); err != nil {
		return fmt.Errorf("invalid record of game %d: %w", r.Game, err)
	}
	return nil
}

func (r *Record) validate() error {
	for _, s := range []string{r.Run, r.Network, r.Settings, r.EvalPath} {
		if len(s) > maxText || !utf8.ValidString(s) {
			return fmt.Errorf("a text of %d bytes is too long or not UTF-8", len(s))
		}
	}
	if r.Generation < 0 {
		return fmt.Errorf("generation %d is negative", r.Generation)
	}
	if r.Opening < UnknownOpening || r.Opening > max(r.Turns, 0) {
		return fmt.Errorf("an opening of %d turns in a game of %d", r.Opening, r.Turns)
	}
	if n := len(r.Decisions); n == 0 || n > MaxDecisions {
		return fmt.Errorf("%d decisions, want 1 to %d", n, MaxDecisions)
	}
	g := game.New()
	var buf [256]game.Action
	weight := 0.0
	for i := range r.Decisions {
		d := &r.Decisions[i]
		var legal actionSet
		for _, a := range g.Legal(buf[:0]) {
			legal.add(a)
		}
		if !legal.has(d.Action) {
			return fmt.Errorf("decision %d: action %d is not legal", i, d.Action)
		}
		if err := d.validate(&legal); err != nil {
			return fmt.Errorf("decision %d: %w", i, err)
		}
		if d.judged() && g.Turns() < int(r.Opening) {
			return fmt.Errorf("decision %d: a search in turn %d of an opening of %d turns", i, g.Turns()+1, r.Opening)
		}
		weight += float64(d.PolicyWeight)
		g.Play(d.Action)
	}
	if n := len(r.Decisions); weight > float64(n)*(1+weightsTolerance) {
		return fmt.Errorf("the policy weights of %d decisions add up to %v", n, weight)
	}
	return r.validateOutcome(g)
}

// judged reports whether the decision has any data besides its action.
func (d *Decision) judged() bool { return len(d.Visits) > 0 || len(d.Policy) > 0 }

// validate checks the search and the targets of a decision with the given legal actions.
func (d *Decision) validate(legal *actionSet) error {
	if d.Full && !d.Searched() {
		return errors.New("a full search without visits")
	}
	if !d.judged() && (d.Value != 0 || d.PolicyWeight != 0 || d.ValueWeight != 0) {
		return errors.New("a root value or a weight without visits and without a policy target")
	}
	// Every comparison below fails for NaN.
	if !(d.Value >= 0 && d.Value <= 1) {
		return fmt.Errorf("root value %v is not a chance", d.Value)
	}
	if !(d.PolicyWeight >= 0) {
		return fmt.Errorf("policy weight %v, want at least 0", d.PolicyWeight)
	}
	if !(d.ValueWeight >= 0 && d.ValueWeight <= 1) {
		return fmt.Errorf("value weight %v, want 0 to 1", d.ValueWeight)
	}
	for i, v := range d.Visits {
		switch {
		case !legal.has(v.Action):
			return fmt.Errorf("visited action %d is not legal", v.Action)
		case v.Count == 0:
			return fmt.Errorf("visited action %d has no visits", v.Action)
		case i > 0 && d.Visits[i-1].Action >= v.Action:
			return fmt.Errorf("visited action %d is out of order", v.Action)
		}
	}
	return d.validatePolicy(legal)
}

func (d *Decision) validatePolicy(legal *actionSet) error {
	sum := 0.0
	for i, s := range d.Policy {
		switch {
		case !legal.has(s.Action):
			return fmt.Errorf("target action %d is not legal", s.Action)
		case !(s.Share > 0 && s.Share <= 1):
			return fmt.Errorf("target action %d has a share of %v, want one above 0 and at most 1", s.Action, s.Share)
		case i > 0 && d.Policy[i-1].Action >= s.Action:
			return fmt.Errorf("target action %d is out of order", s.Action)
		}
		sum += float64(s.Share)
	}
	if len(d.Policy) > 0 && math.Abs(sum-1) > sharesTolerance {
		return fmt.Errorf("the policy target sums to %v, want 1", sum)
	}
	return nil
}

// validateOutcome compares the stated outcome with g, the state after the last decision.
func (r *Record) validateOutcome(g *game.Game) error {
	if int(r.Turns) != g.Turns() {
		return fmt.Errorf("states %d turns, has %d", r.Turns, g.Turns())
	}
	if r.Result.Winner > game.Silver {
		return fmt.Errorf("winner %d is not a player", r.Result.Winner)
	}
	if played := g.Result(); played.Over() {
		if played != r.Result {
			return fmt.Errorf("states that %s won by %s, but %s won by %s",
				r.Result.Winner, r.Result.Reason, played.Winner, played.Reason)
		}
		return nil
	}
	switch r.Result.Reason {
	case game.Ongoing:
		if r.Result.Winner != game.Gold {
			return errors.New("a winner without a result")
		}
	case game.TurnLimit:
		if r.Result.Winner != g.ScoreWinner() {
			return fmt.Errorf("states that %s won by the score, but %s did", r.Result.Winner, g.ScoreWinner())
		}
	case game.Time, game.Resignation: // either player can lose by these
	default:
		return fmt.Errorf("states an end by %s, but the game was not over", r.Result.Reason)
	}
	return nil
}

// actionSet is a set of actions, one bit each.
type actionSet [(game.NumActions + 63) / 64]uint64

func (s *actionSet) add(a game.Action) { s[a/64] |= 1 << (a % 64) }

func (s *actionSet) has(a game.Action) bool {
	return a < game.NumActions && s[a/64]&(1<<(a%64)) != 0
}
