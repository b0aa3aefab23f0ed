package data

import (
	"math"

	"warren/game"
)

// MaxDecisions is the largest number of decisions in a record. It is far more than any game needs.
const MaxDecisions = math.MaxUint16

// UnknownOpening is the [Record.Opening] of a record whose opening is unknown.
const UnknownOpening = -1

// Record is one finished game, from the empty board, with the data of its searches.
type Record struct {
	// ID is the identity stored with the record. It is zero until the record is read from a
	// shard: see [Record.Hash]. Clear it in a copy that is changed.
	ID Hash

	Run        string // name of the run that played it
	Game       uint64 // number of the game in its run, from 0
	Seed       uint64 // seed of the run; with Game it determines the game's random numbers
	Network    string // content hash of the network that played
	Generation int32  // generation of that network, from 0
	Settings   string // hash or text of the settings that the game was played under
	// EvalPath names the code that evaluated positions, such as "avx512". The same seed gives the
	// same game only within one path. Empty means unknown.
	EvalPath string

	// Opening is the number of turns at the beginning that were played at random or taken from an
	// earlier game, as was the setup. It is 0 for a game that was searched from the empty board.
	Opening int32
	// Decisions holds every action of the game in order, the 32 placements included.
	Decisions []Decision
	// Result says how the game ended. The zero value, with Reason Ongoing and Winner Gold, means
	// that the game was stopped without a result.
	Result game.Result
	// Turns is the number of completed turns, setups not counted.
	Turns int32
}

// Decision is one action of a game and what the search before it found. A shard stores it as it is
// here.
type Decision struct {
	Action game.Action `parquet:"action"`
	// Full distinguishes a full search from a fast one (playout cap randomisation: Wu 2019,
	// "Accelerating Self-Play Learning in Go", sec. 3.1). It is only for statistics; training
	// uses the weights.
	Full bool `parquet:"full"`
	// Value is the root value of the search, or the network's value where a placement was drawn: the
	// mover's chance to win, 0 to 1. It is 0 if there was neither.
	Value float32 `parquet:"value"`
	// Visits holds the visited root actions in ascending order of action. A placement that was drawn
	// from the policy has one visit: see Drawn. Visits is empty if there was no search, as in a random
	// opening.
	Visits []Visit `parquet:"visits,list"`
	// Policy is the policy target: the actions with a share above 0, in ascending order of
	// action. The shares sum to 1. Nil means that the target is the shares of the visits, or that
	// the placement was drawn.
	Policy []Share `parquet:"policy,list"`
	// PolicyWeight is the weight of the policy target in the loss, at least 0. A weight of 0 means
	// that the decision has no policy target. The weights of a record add up to at most its number
	// of decisions. Without surprise weighting there are few different weights, so a dictionary
	// stores each in a bit or two.
	PolicyWeight float32 `parquet:"policy_weight,dict"`
	// ValueWeight is the weight of the value target in the loss, from 0 to 1 and usually 1.
	ValueWeight float32 `parquet:"value_weight,dict"`
}

// Visit is a root action and how often the search visited it.
type Visit struct {
	Action game.Action `parquet:"action" json:"action"`
	Count  uint32      `parquet:"count" json:"count"` // at least 1
}

// Share is an action and its part of a policy target.
type Share struct {
	Action game.Action `parquet:"action" json:"action"`
	Share  float32     `parquet:"share" json:"share"` // above 0, at most 1
}

// Searched reports whether the decision was searched, or drawn: see [Decision.Drawn].
func (d *Decision) Searched() bool { return len(d.Visits) > 0 }

// Drawn reports whether the decision is a placement that was drawn from the policy without a search: one visit, and no full
// search. By itself it says nothing about other placements. Its policy target depends on other games, and is up to package
// replay.
func (d *Decision) Drawn() bool {
	return d.Action.IsPlacement() && !d.Full && len(d.Policy) == 0 && len(d.Visits) == 1 && d.Visits[0].Count == 1
}

// Target appends the policy target to buf and returns it: Policy, or else the shares of the visits. The decision must not be
// a drawn placement.
func (d *Decision) Target(buf []Share) []Share {
	if len(d.Policy) > 0 {
		return append(buf, d.Policy...)
	}
	total := uint64(0)
	for _, v := range d.Visits {
		total += uint64(v.Count)
	}
	for _, v := range d.Visits {
		buf = append(buf, Share{v.Action, float32(float64(v.Count) / float64(total))})
	}
	return buf
}

// Teaches reports whether the decision is a position to train on, that is, whether its policy or
// value weight is above 0.
func (d *Decision) Teaches() bool { return d.PolicyWeight > 0 || d.ValueWeight > 0 }

// Positions returns the number of decisions to train on.
func (r *Record) Positions() int {
	n := 0
	for i := range r.Decisions {
		if r.Decisions[i].Teaches() {
			n++
		}
	}
	return n
}
