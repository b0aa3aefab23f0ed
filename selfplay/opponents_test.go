package selfplay

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"warren/data"
	"warren/eval"
	"warren/game"
	"warren/turnsearch"
	"warren/watch"
)

// opponents are older networks.
type opponents []*eval.Network

func (o opponents) Opponent(rng *rand.Rand) *eval.Network { return o[rng.IntN(len(o))] }

// generations returns networks of three generations, the last of which is the newest. They
// count the positions that they evaluate.
func generations() (networks []*eval.Network, asked []atomic.Int64) {
	asked = make([]atomic.Int64, 3)
	for i := range asked {
		n := counting()
		n.Hash, n.Origin.Generation = fmt.Sprint("net ", i), i+1
		backend := n.Backend
		n.Backend = eval.Func(func(most int) (func(*eval.Batch) error, error) {
			s, err := backend.Open(most)
			return func(b *eval.Batch) error {
				asked[i].Add(int64(b.Len()))
				return eval.Evaluate(s, b)
			}, err
		})
		networks = append(networks, n)
	}
	return networks, asked
}

// TestOlderOpponents checks that an older network plays one side of a share of the games, that
// only the other side's positions are trained on, and that a game does not depend on the workers.
func TestOlderOpponents(t *testing.T) {
	for _, unit := range []string{turnsearch.Step, turnsearch.Turn} {
		play := func(workers, each int) (Job, map[uint64]*data.Record, watch.Totals, []atomic.Int64) {
			networks, asked := generations()
			job := testJob(workers, each)
			job.Config.Unit, job.Turns = unit, turnsearch.DefaultConfig()
			job.Count, job.Config.TurnLimit = 16, 12
			job.Config.RandomOpenings, job.Config.RandomTurns = 0.3, 4
			job.Config.OlderOpponents, job.Opponents = 0.5, opponents(networks[:2])
			var c collector
			var counts watch.Counts
			if err := Play(t.Context(), job, Always{networks[2]}, &c, &counts); err != nil {
				t.Fatal(err)
			}
			return job, c.games, counts.Totals(), asked
		}
		job, games, totals, asked := play(2, 3)
		met := map[string]int{}
		sides := [2]int{}
		for number, r := range games {
			if err := r.Validate(); err != nil {
				t.Fatal(err)
			}
			if err := job.Check(r); err != nil {
				t.Error(err)
			}
			if r.Network != "net 2" || r.Generation != 3 {
				t.Errorf("%s: game %d names the network %q of generation %d", unit, number, r.Network, r.Generation)
			}
			met[r.Opponent]++
			if r.Opponent == "" {
				continue
			}
			if want := fmt.Sprint("net ", r.OpponentGeneration-1); r.Opponent != want {
				t.Errorf("%s: game %d: the opponent %q is of generation %d", unit, number, r.Opponent, r.OpponentGeneration)
			}
			side := data.OpponentSide(number)
			sides[side]++
			g, taught := game.New(), 0
			for i, d := range r.Decisions {
				switch older := g.Side() == side; {
				case older && (d.Searched() || d.Teaches()):
					t.Errorf("%s: game %d, decision %d: a search of the older network", unit, number, i)
				case !older && r.Opening == 0 && len(g.Legal(nil)) > 1 && d.ValueWeight != 1:
					t.Errorf("%s: game %d, decision %d: the newest network's position is not trained on", unit, number, i)
				case d.PolicyWeight > 0:
					taught++
				}
				g.Play(d.Action)
			}
			if taught == 0 {
				t.Errorf("%s: game %d teaches no policy", unit, number)
			}
			job.Opponents = nil
			if job.Check(r) == nil {
				t.Errorf("%s: game %d: an opponent that the job has not is accepted", unit, number)
			}
			job.Opponents = opponents{}
		}
		if met[""] < 3 || met["net 0"] == 0 || met["net 1"] == 0 || sides[0] == 0 || sides[1] == 0 {
			t.Errorf("%s: games by opponent: %v, by the opponent's side: %v", unit, met, sides)
		}
		if older := met["net 0"] + met["net 1"]; totals.Older.Games != uint64(older) || totals.OlderWon > totals.Older.Games {
			t.Errorf("%s: counted %d games against older networks, %d of them won; want %d", unit, totals.Older.Games, totals.OlderWon, older)
		}
		for i := range asked {
			if asked[i].Load() == 0 {
				t.Errorf("%s: network %d was not asked", unit, i)
			}
		}
		_, again, _, _ := play(1, 5)
		for number, r := range again {
			if !bytes.Equal(encode(t, r), encode(t, games[number])) {
				t.Errorf("%s: game %d depends on the workers", unit, number)
			}
		}
	}
}
