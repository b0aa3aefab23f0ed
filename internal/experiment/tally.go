package experiment

import (
	"math/bits"

	"warren/data"
	"warren/game"
	"warren/internal/observe"
)

// ahead are the distances from a game's end, in turns, at which the winner's value
// is looked up. 1 is before the last turn.
var ahead = [...]int{1, 2, 4, 8}

// captureTurns is the number of turns, of both players together, in which captures are counted.
const captureTurns = 20

// tally is what was counted in the games of a shard, or of a stretch of time.
type tally struct {
	Games int `json:"games"`
	Turns int `json:"turns"` // of all games, random openings included

	// Of the games that were played from the setup on with all pieces, without a random opening.
	Setup        int                  `json:"setup"`
	SetupTurns   int                  `json:"setup_turns"`
	SetupReasons [game.NumReasons]int `json:"setup_reasons"`
	Captures     int                  `json:"captures"` // in their first turns

	// Of the decisions after the setup that teach policy.
	PolicyRows int     `json:"policy_rows"`
	Entropy    float64 `json:"entropy"` // of their targets in nats, summed by weight
	Weight     float64 `json:"weight"`  // of the policy targets

	// Of the games that ended on the board: the coming winner's chance at the
	// distances ahead, where there was a search.
	WinnersValue [len(ahead)]float64 `json:"winners_value"`
	WinnersCount [len(ahead)]int     `json:"winners_count"`
}

func (t *tally) add(o *tally) {
	t.Games += o.Games
	t.Turns += o.Turns
	t.Setup += o.Setup
	t.SetupTurns += o.SetupTurns
	t.Captures += o.Captures
	for i, n := range o.SetupReasons {
		t.SetupReasons[i] += n
	}
	t.PolicyRows += o.PolicyRows
	t.Entropy += o.Entropy
	t.Weight += o.Weight
	for i := range ahead {
		t.WinnersValue[i] += o.WinnersValue[i]
		t.WinnersCount[i] += o.WinnersCount[i]
	}
}

// fromSetup reports whether a game was played from the setup on, without a random opening. Where the record does not say,
// its first placement tells.
func fromSetup(r *data.Record) bool {
	return r.Opening == 0 || r.Opening == data.UnknownOpening && r.Decisions[0].Searched()
}

// count adds a game.
func (t *tally) count(r *data.Record) {
	t.Games++
	t.Turns += int(r.Turns)
	setup := fromSetup(r)
	if setup {
		t.Setup++
		t.SetupTurns += int(r.Turns)
		t.SetupReasons[r.Result.Reason]++
	}
	decided := r.Result.Reason.OnBoard()
	g := game.New()
	turn := -1 // that the walk is in
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if !g.InSetup() {
			if d.PolicyWeight > 0 {
				t.PolicyRows++
				t.Entropy += float64(d.PolicyWeight) * observe.TargetEntropy(d)
				t.Weight += float64(d.PolicyWeight)
			}
			if begins := g.Turns() != turn; begins && decided && d.Searched() {
				t.countValue(int(r.Turns)-g.Turns(), d, g.Side() == r.Result.Winner)
			}
			turn = g.Turns()
		}
		g.Play(d.Action)
		if setup && (g.Turns() == captureTurns || i == len(r.Decisions)-1) && !g.InSetup() {
			t.Captures += game.Placements - bits.OnesCount64(g.Board().Occupied())
			setup = false
		}
	}
}

// countValue counts the value of a turn's first search for the coming winner.
func (t *tally) countValue(left int, d *data.Decision, winner bool) {
	for i, distance := range ahead {
		if left != distance {
			continue
		}
		v := float64(d.Value)
		if !winner {
			v = 1 - v
		}
		t.WinnersValue[i] += v
		t.WinnersCount[i]++
	}
}
