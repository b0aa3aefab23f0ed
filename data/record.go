package data

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"warren/game"
)

// MaxDecisions is the most decisions a record may hold: 32 placements and far more turns than a
// game has.
const MaxDecisions = math.MaxUint16

// maxText bounds the strings of a record, in bytes.
const maxText = 1 << 16

// Record is one finished game, from the empty board on, and how it came about.
type Record struct {
	Run        string // identifies the run that played it
	Game       uint64 // number of the game in its run, from 0
	Seed       uint64 // seed of the run; with Game it fixes the game's random numbers
	Network    string // content hash of the network that played
	Generation int32  // that network's generation, from 0
	Settings   string // hash or text of the settings the game was played under

	// Decisions holds every action of the game in order, the 32 placements included.
	Decisions []Decision
	// Result is how the game ended. Reason Ongoing (with Winner Gold, the zero value) says
	// that it was stopped without a result.
	Result game.Result
	// Turns is the number of completed turns, setups not counted.
	Turns int32
}

// Decision is one action of a game and what was searched before it was played.
type Decision struct {
	Action game.Action
	// Full tells a full search, whose visits are a policy target, from a cheap one, whose
	// visits are not (playout cap randomisation: Wu 2019, "Accelerating Self-Play Learning in
	// Go", sec. 3.1).
	Full bool
	// Value is the search's root value: the mover's chance to win, 0 to 1. 0 where nothing was
	// searched.
	Value float32
	// Visits holds the visited root actions in ascending order of action. Empty: nothing was
	// searched (a random opening action, say), and the decision is no position to train on.
	// Only the ratios of the counts matter to the target, so a search whose target is not its
	// visit counts (Gumbel) may store its target here, scaled to integers.
	Visits []Visit
}

// Visit is a root action and how often the search visited it.
type Visit struct {
	Action game.Action
	Count  uint32 // at least 1
}

// Searched reports whether the decision carries a training target: whether it is a position in
// the sense of the replay window.
func (d *Decision) Searched() bool { return len(d.Visits) > 0 }

// Positions returns the number of decisions that carry a training target.
func (r *Record) Positions() int {
	n := 0
	for i := range r.Decisions {
		if r.Decisions[i].Searched() {
			n++
		}
	}
	return n
}

// Validate replays the game and returns an error naming the first thing that cannot be: an
// illegal action, statistics that are not well formed, or an outcome that does not follow from
// the actions.
func (r *Record) Validate() error {
	if err := r.validate(); err != nil {
		return fmt.Errorf("invalid record of game %d: %w", r.Game, err)
	}
	return nil
}

func (r *Record) validate() error {
	for _, s := range []string{r.Run, r.Network, r.Settings} {
		if len(s) > maxText || !utf8.ValidString(s) {
			return fmt.Errorf("a text of %d bytes is too long or not UTF-8", len(s))
		}
	}
	if r.Generation < 0 {
		return fmt.Errorf("generation %d is negative", r.Generation)
	}
	if n := len(r.Decisions); n == 0 || n > MaxDecisions {
		return fmt.Errorf("%d decisions, want 1 to %d", n, MaxDecisions)
	}
	g := game.New()
	var buf [256]game.Action
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
		g.Play(d.Action)
	}
	return r.validateOutcome(g)
}

// validate checks the search statistics; legal are the actions that there were to choose from.
func (d *Decision) validate(legal *actionSet) error {
	if !d.Searched() {
		if d.Full || d.Value != 0 {
			return errors.New("a root value or a full search without visits")
		}
		return nil
	}
	// Written so that NaN fails too.
	if !(d.Value >= 0 && d.Value <= 1) {
		return fmt.Errorf("root value %v is not a chance", d.Value)
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
	case game.Time, game.Resignation: // either side may have been the one
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
