package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warren/data"
	"warren/game"
	"warren/internal/metrics"
	"warren/internal/nettest"
	"warren/net"
)

// randomRecord is a game of random steps, stopped after some turns.
func randomRecord(number uint64, turns int) *data.Record {
	rng := rand.New(rand.NewPCG(number, 7))
	g, r := game.New(), &data.Record{Run: "fixture", Game: number, Generation: int32(number / 10), Network: "x", Settings: "x"}
	for g.Turns() < turns && !g.Result().Over() {
		legal := g.Legal(nil)
		a := legal[rng.IntN(len(legal))]
		d := data.Decision{Action: a}
		if number%2 == 0 && !g.InSetup() {
			d.Value, d.Full, d.ValueWeight, d.PolicyWeight, d.Visits = 0.75, true, 1, 1, []data.Visit{{Action: a, Count: 3}}
		}
		r.Decisions = append(r.Decisions, d)
		g.Play(a)
	}
	r.Result, r.Turns = g.Result(), int32(g.Turns())
	return r
}

// fixture is a run directory with two shards of ten games, a network and a series.
func fixture(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "fixture")
	for _, sub := range []string{"games", "networks", "matches"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("seed: 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for s := range uint64(2) {
		var records []*data.Record
		for n := range uint64(10) {
			records = append(records, randomRecord(10*s+n, 4+int(n)))
		}
		if _, err := data.WriteShard(filepath.Join(dir, "games"), s+1, records); err != nil {
			t.Fatal(err)
		}
	}
	nettest.Save(t, net.GenerationFile(dir, 1), nettest.Lively(t, nettest.Configs[0], 1), nil)
	writePoints(t, dir, 1, 12)
	return dir
}

// writePoints adds points to the series of a run.
func writePoints(t testing.TB, dir string, first, last int64) {
	t.Helper()
	lines, err := metrics.OpenLines(filepath.Join(dir, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	for step := first; step <= last; step++ {
		err := lines.Write(metrics.Point{Step: step, Time: time.Unix(step*60, 0), Values: []metrics.Value{
			{Name: "loss/policy", Value: 2 / float64(step)}, {Name: "held_out/policy", Value: 2.1 / float64(step)},
			{Name: "games/end_goal", Value: 0.5}, {Name: "games/turns", Value: 40}, {Name: "total/games", Value: float64(10 * step)}, {Name: "total/minutes", Value: float64(step)},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func serverOf(t testing.TB, c Config) *Server {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// ask sends a request as the page does, and decodes the answer.
func (s *Server) ask(t testing.TB, method, path string, body, into any) int {
	t.Helper()
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			t.Fatal(err)
		}
	}
	r := httptest.NewRequest(method, "http://localhost"+path, &content)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if into != nil {
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			t.Fatalf("%s %s: %v in %.200s", method, path, err, w.Body)
		}
	}
	return w.Code
}

// problemOf returns the error of an answer.
func (s *Server) problemOf(t testing.TB, method, path string, body any) (int, string) {
	t.Helper()
	var answer struct{ Error string }
	code := s.ask(t, method, path, body, &answer)
	if strings.Contains(answer.Error, "\n") {
		t.Errorf("%s %s: the error has several lines: %q", method, path, answer.Error)
	}
	return code, answer.Error
}

func mustBe(t testing.TB, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
