package experiment

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"warren/internal/durable"
	"warren/internal/metrics"
)

// series are the points of a run: a generation of 100 games every minute. The first has only goals, the second no
// game that ends on the board, and later ones three of four.
func series(minutes int) (points []metrics.Point) {
	for i := 1; i <= minutes; i++ {
		p := metrics.Point{Step: int64(i), Time: time.Unix(int64(i), 0)}
		add := func(name string, v float64) { p.Values = append(p.Values, metrics.Value{Name: name, Value: v}) }
		add("games/turns", 50)
		switch i {
		case 1:
			add("games/end_goal", 1)
		case 2:
			add("games/end_turn_limit", 1)
		default:
			add("games/end_goal", 0.5)
			add("games/end_immobilization", 0.25)
			add("games/end_turn_limit", 0.25)
		}
		add("total/games", float64(100*i))
		add("total/minutes", float64(i))
		points = append(points, p)
	}
	return points
}

func TestRunState(t *testing.T) {
	p := plan(t, "a")
	p.Budget = 10 * time.Minute
	d, r := dir(t.TempDir()), Run{Variant: "a", Seed: 1}
	expect := func(states map[Run]state, want string) {
		t.Helper()
		s, err := d.runState(r, &p, states)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(s); err != nil || string(got) != `{"variant":"a","seed":1,`+want+`,"starts":0}` {
			t.Errorf("its state is %s, %v; want %s", got, err, want)
		}
	}
	expect(nil, `"state":"waiting","done":0,"minutes":0,"generation":0,"games":0,"decided":null`)

	if err := os.MkdirAll(d.run(r), 0o777); err != nil {
		t.Fatal(err)
	}
	lines, err := metrics.OpenLines(d.metrics(r))
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	// The seventh generation has no game from the setup.
	points := append(series(6),
		metrics.Point{Step: 7, Values: []metrics.Value{{Name: "total/games", Value: 700}, {Name: "total/minutes", Value: 7}}},
		metrics.Point{Step: 7, Values: []metrics.Value{{Name: "match/elo", Value: 1}}})
	for _, p := range points {
		if err := lines.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	expect(map[Run]state{r: {"training", 0.75}}, `"state":"training","done":0.75,"minutes":7,"generation":7,"games":700,"decided":0.6`)

	if err := durable.WriteJSON(d.finished(r), finished{10}, ""); err != nil {
		t.Fatal(err)
	}
	expect(nil, `"state":"finished","done":1,"minutes":7,"generation":7,"games":700,"decided":0.6`)
}
