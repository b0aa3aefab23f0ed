package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"warren/data/replay"
	"warren/game"
)

// A regression finds the weights that chances were made with. Where a number alone decides, the weights
// stay finite.
func TestLogisticRegression(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	want := []float64{1.5, -0.5, 0.25}
	var x [][]float64
	var y []float64
	for range 20_000 {
		row := []float64{rng.NormFloat64(), 2 * rng.NormFloat64(), 1}
		won := 0.0
		if rng.Float64() < chance(want, row) {
			won = 1
		}
		x, y = append(x, row), append(y, won)
	}
	for i, w := range logistic(x, y) {
		if math.Abs(w-want[i]) > 0.08 {
			t.Errorf("weight %d is %.3f, want %.3f", i, w, want[i])
		}
	}
	if w := logistic([][]float64{{1}, {-1}}, []float64{1, 0}); !(w[0] > 0.3 && w[0] < 10) {
		t.Errorf("the weight of a number that decides is %v", w)
	}
	if w := logistic(nil, nil); len(w) != 0 {
		t.Errorf("from nothing came the weights %v", w)
	}
}

// Games of two runs are two games, also if they have the same number.
func TestForetoldGamesOfTwoRuns(t *testing.T) {
	w := replay.NewWindow(100_000, replay.DefaultConfig())
	for _, run := range []string{"a", "b"} {
		r := pursuit(1)
		r.Run = run
		w.Add(1, r)
	}
	if f := newOutcomes(w, 100_000); f.count != 2 || w.Games() != 2 {
		t.Errorf("%d games are counted as %d", w.Games(), f.count)
	}
}

// The loss of a forecast is that of its chances. Scaling takes away what is for want of confidence, or too
// much of it, and positions are told apart by the actions left.
func TestForecastLosses(t *testing.T) {
	f := &outcomes{}
	var timid []float64
	for i := range 4000 {
		won := 0.0
		if i%4 > 0 {
			won = 1
		}
		f.won, f.left = append(f.won, won), append(f.left, 1+i%40)
		timid = append(timid, 0.55) // 0.75 would be right
	}
	got := f.score("timid", timid)
	all := -0.75*math.Log(0.55) - 0.25*math.Log(0.45)
	scaled := -0.75*math.Log(0.75) - 0.25*math.Log(0.25)
	if math.Abs(got.All-all) > 1e-9 || math.Abs(got.Scaled-scaled) > 1e-3 {
		t.Errorf("the loss is %.4f, scaled %.4f; want %.4f and %.4f", got.All, got.Scaled, all, scaled)
	}
	if !math.IsNaN(got.Before[2]) || !math.IsNaN(got.Before[3]) || math.Abs(got.Before[0]*12+got.Before[1]*28-all*40) > 1e-9 {
		t.Errorf("the losses by actions left are %v", got.Before)
	}
	if wrong := f.score("sure", make([]float64, 4000)); math.IsInf(wrong.All, 0) || wrong.All < 4 {
		t.Errorf("the loss of certain and wrong chances is %v", wrong.All)
	}
	var p point
	p.forecast("outcome/timid", got)
	if list := p.Values; len(list) != 4 || list[0].Name != "outcome/timid" || list[3].Name != "outcome/timid_last_40" {
		t.Errorf("the series are %v", list)
	}
	var table strings.Builder
	WriteForecasts(&table, []Forecast{got})
	if !strings.Contains(table.String(), "timid") || strings.Count(table.String(), " -") != 2 {
		t.Errorf("the table is\n%s", table.String())
	}
}

// Positions come from games that were decided on the board. What is counted is seen from the side to move.
func TestForetoldPositions(t *testing.T) {
	w := replay.NewWindow(1_000_000, replay.DefaultConfig())
	w.Add(1, race(6)) // resigned
	decided := wild(5)
	w.Add(1, decided)
	if !decided.Result.Reason.OnBoard() {
		t.Fatalf("the game ended by %v", decided.Result.Reason)
	}
	f := newOutcomes(w, 1_000_000)
	if f.count != 1 || len(f.games) == 0 {
		t.Fatalf("%d games, %d positions", f.count, len(f.games))
	}
	for i, g := range f.games {
		if won := g.Side() == decided.Result.Winner; won != (f.won[i] == 1) {
			t.Fatalf("position %d: %v is to move, %v won, and the outcome is %v", i, g.Side(), decided.Result.Winner, f.won[i])
		}
	}
	if half := newOutcomes(w, w.Positions()/2); len(half.games) > len(f.games)*2/3 {
		t.Errorf("%d of %d positions are taken", len(half.games), len(f.games))
	}

	rows := []string{"dd      ", "        ", "        ", "        ", "       r", "R       ", "        ", "    C   "}
	for side, want := range map[string][]float64{
		"g": {0, 1, -2, 0, 0, 0, -2, -2, 1}, // a rabbit on a3 and a cat against one on h4 and two dogs
		"s": {0, -1, 2, 0, 0, 0, 2, 2, 1},
	} {
		b, mover, err := game.ParsePosition(side + " [" + strings.Join(rows, "") + "]")
		if err != nil {
			t.Fatal(err)
		}
		if got := pieces(game.FromBoard(b, mover)); !slices.Equal(got, want) {
			t.Errorf("%s counts %v, want %v", side, got, want)
		}
	}
}
