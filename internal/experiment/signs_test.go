package experiment

import (
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"warren/data"
	"warren/game"
	"warren/internal/metrics"
	"warren/internal/observe"
)

// randomGame plays a game at random and records every turn's first value as told,
// and a policy target of entropy 1.5 ln 2 at every tenth step.
func randomGame(value func(g *game.Game) float32) (r *data.Record, captures int) {
	rng := rand.New(rand.NewPCG(3, 4))
	g := game.New()
	r = &data.Record{}
	for !g.Result().Over() {
		legal := g.Legal(nil)
		d := data.Decision{Action: legal[rng.IntN(len(legal))]}
		if !g.InSetup() {
			d.Value = value(g)
			d.Visits = []data.Visit{{Action: 1, Count: 1}, {Action: 2, Count: 1}, {Action: 3, Count: 2}}
			if len(r.Decisions)%10 == 0 {
				d.PolicyWeight = 1
			}
		}
		r.Decisions = append(r.Decisions, d)
		g.Play(d.Action)
		if !g.InSetup() && g.Turns() <= captureTurns {
			captures = 32 - bits.OnesCount64(g.Board().Occupied())
		}
	}
	r.Result, r.Turns = g.Result(), int32(g.Turns())
	return r, captures
}

// Values are a hundredth of the turn's number for Gold, so that the value of the
// coming winner n turns before the end is known.
func TestTally(t *testing.T) {
	r, captures := randomGame(func(g *game.Game) float32 {
		v := float32(g.Turns()) / 1000
		if g.Side() == game.Silver {
			return 1 - v
		}
		return v
	})
	if captures == 0 || r.Turns <= captureTurns {
		t.Fatalf("%d captures, %d turns: the game tests nothing", captures, r.Turns)
	}
	var sum tally
	sum.count(r)
	if sum.Captures != captures || sum.Games != 1 || sum.Setup != 1 || sum.SetupReasons[r.Result.Reason] != 1 {
		t.Errorf("%d captures were counted, want %d; all: %+v", sum.Captures, captures, sum)
	}
	near(t, "the entropy", sum.Entropy/sum.Weight, 1.5*0.693147)
	for i, distance := range ahead {
		want := float64(int(r.Turns)-distance) / 1000
		if r.Result.Winner == game.Silver {
			want = 1 - want
		}
		near(t, "the winner's value", sum.WinnersValue[i]/float64(sum.WinnersCount[i]), want)
	}

	r.Opening = 5
	var opened tally
	opened.count(r)
	if opened.Setup != 0 || opened.Captures != 0 || opened.Games != 1 || opened.PolicyRows != sum.PolicyRows {
		t.Errorf("of a game with a random opening it counted %+v", opened)
	}
	r.Opening = data.UnknownOpening // and the first placement was not searched
	if fromSetup(r) {
		t.Error("a game that may have a random opening counts as one from the setup")
	}
	before := sum
	sum.add(&opened)
	if sum.Games != 2 || sum.Setup != 1 || sum.Entropy != 2*before.Entropy || sum.WinnersCount[0] != 2 {
		t.Errorf("the sum is %+v", sum)
	}
}

func TestEntropyOfStatedTarget(t *testing.T) {
	d := data.Decision{Policy: []data.Share{{Action: 1, Share: 0.5}, {Action: 2, Share: 0.5}}, Visits: []data.Visit{{Action: 1, Count: 9}}}
	near(t, "the entropy", observe.TargetEntropy(&d), 0.693147)
}

// series are the points of a run: 100 games of 10 positions a minute, half of the
// positions drawn, a window of 500 positions.
func series(minutes int) (points []metrics.Point) {
	for i := 1; i <= minutes; i++ {
		m := float64(i)
		points = append(points, metrics.Point{Step: int64(i), Time: time.Unix(int64(i), 0), Values: []metrics.Value{
			{Name: "total/minutes", Value: m}, {Name: "total/games", Value: 100 * m}, {Name: "total/positions", Value: 1000 * m},
			{Name: "total/samples", Value: 500 * m}, {Name: "window/positions", Value: min(500, 1000*m)},
		}})
	}
	return points
}

func TestSignsOverTime(t *testing.T) {
	var shards []shardTally
	for i := range 8 { // 50 games each: 4 minutes
		s := shardTally{tally: tally{Games: 50, Setup: 50, SetupTurns: 50 * (10 + i/2)}}
		s.SetupReasons[game.Goal] = 40
		s.SetupReasons[game.TurnLimit] = 10
		shards = append(shards, s)
	}
	list := signs(newTimeline(series(4)), shards, 0, 5, 4, 5)
	for i, s := range list[:4] {
		near(t, "turns", s["turns"], float64(10+i))
		near(t, "games/s", s["games/s"], 100.0/60)
		near(t, "decided", s["decided %"], 80)
		near(t, "stopped", s["limit %"], 20)
		near(t, "draws", s["draws/row"], 0.5)
		near(t, "age", s["window age"], 0.5)
		if _, ok := s["winner 1 before"]; ok {
			t.Error("there is a winner's value, and no game had one")
		}
	}
	if len(list[4]) != 0 {
		t.Errorf("after now there are the signs %v", list[4])
	}

	other := signs(newTimeline(series(4)), shards[:2], 0, 5, 1, 5)
	means := meanSigns([][]Signs{list, other})
	near(t, "the mean of both", means[0]["turns"], 10)
	near(t, "the mean of one", means[3]["turns"], 13)
}

func TestMilestones(t *testing.T) {
	published := metrics.Series(series(10), "total/minutes")
	for at, want := range map[float64]int{0.05: 0, 0.35: 3, 1: 10} {
		if got := newest(published, at, 10); got != want {
			t.Errorf("at %g of the budget generation %d is the newest, want %d", at, got, want)
		}
	}
	if got := newest(published, 1, 5); got != 10 {
		t.Errorf("generation %d is the newest at the end of a run that took longer", got)
	}
}

func TestCurve(t *testing.T) {
	c := newCurve()
	c.add(2, 10)
	c.add(4, 10)
	c.add(5, 20)
	for _, p := range [][2]float64{{0, 0}, {1, 5}, {3, 10}, {4.5, 15}, {6, 30}} {
		near(t, "the curve", c.at(p[0]), p[1])
	}
	near(t, "the inverse", c.when(5), 1)
	near(t, "the inverse", c.when(15), 4.5)
	near(t, "an empty curve", newCurve().at(3), 0)
}
