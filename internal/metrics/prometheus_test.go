package metrics

import (
	"context"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
)

func TestServe(t *testing.T) {
	var newest Newest
	for _, p := range []Point{
		{Values: []Value{{Name: "loss/policy", Value: 2}, {Name: "total/games", Value: 10}}},
		{Values: []Value{{Name: "loss/policy", Value: 1.5}}},
	} {
		if err := newest.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	url, stop, err := Serve("127.0.0.1:0", func(context.Context) []Family {
		return append(newest.Families(), Flag("on", "It is on.", true), Family{"refused_total", "counter", "Refused\ngames.", []Reading{
			{[]Label{{"worker", `a"b\`}, {"reason", "damaged\n"}}, 3},
			{nil, 1e9},
		}})
	})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := `# HELP warren_loss_policy The run's series loss/policy.
# TYPE warren_loss_policy gauge
warren_loss_policy 1.5
# HELP warren_total_games The run's series total/games.
# TYPE warren_total_games gauge
warren_total_games 10
# HELP on It is on.
# TYPE on gauge
on 1
# HELP refused_total Refused games.
# TYPE refused_total counter
refused_total{worker="a\"b\\",reason="damaged\n"} 3
refused_total 1e+09
`
	if got, ok := strings.CutPrefix(string(text), want); !ok || !strings.Contains(got, "\ngo_goroutines ") {
		t.Errorf("got:\n%s", text)
	}
	if kind := answer.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Errorf("the content type is %s", kind)
	}
	stop()
	if _, err := http.Get(url); err == nil {
		t.Error("it serves after it has been stopped")
	}
	if _, _, err := Serve("nowhere", nil); err == nil || !strings.Contains(err.Error(), "serving the metrics") {
		t.Errorf("a wrong address gives %v", err)
	}
}

// Series that a family's name cannot tell apart are two families.
func TestFamiliesDiffer(t *testing.T) {
	newest := &Newest{}
	if err := newest.Write(Point{Values: []Value{{Name: "match/a_b", Value: 1}, {Name: "match/a-b", Value: 2}, {Name: "loss/policy", Value: 3}}}); err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range newest.Families() {
		values[f.Name] = f.Samples[0].Value
	}
	want := map[string]float64{"warren_loss_policy": 3, "warren_match_a_b": 2, "warren_match_a_b_": 1}
	if !maps.Equal(values, want) {
		t.Errorf("families %v, want %v", values, want)
	}
}
