package metrics

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPointJSON(t *testing.T) {
	p := point(-12, Value{"loss/policy", 2.25}, Value{"a \"b\"", 1e21}, Value{"n", math.NaN()}, Value{"i", math.Inf(-1)})
	b, err := json.Marshal(p)
	want := `{"step":-12,"time":"2026-11-21T01:02:03Z","values":{"loss/policy":2.25,"a \"b\"":1e+21,"n":"NaN","i":"-Infinity"}}`
	if err != nil || string(b) != want {
		t.Errorf("got  %s, %v\nwant %s", b, err, want)
	}
	for _, bad := range []string{`{}`, `[]`, `{"step":1,"time":"2026-11-21T01:02:03Z"}`, `{"step":1.5,"time":"2026-11-21T01:02:03Z","values":{}}`,
		`{"step":1,"time":"yesterday","values":{}}`, `{"step":1,"time":"2026-11-21T01:02:03Z","values":[1]}`,
		`{"step":1,"time":"2026-11-21T01:02:03Z","values":{"a":{"b":1}}}`, `{"step":1,"time":"2026-11-21T01:02:03Z","values":{"a":"x"}}`} {
		if err := json.Unmarshal([]byte(bad), &p); err == nil {
			t.Errorf("read %s", bad)
		}
	}
}

// equal reports whether a and b are equal, where NaN equals NaN.
func equal(a, b Point) bool {
	if a.Step != b.Step || !a.Time.Equal(b.Time) || len(a.Values) != len(b.Values) {
		return false
	}
	for i, v := range a.Values {
		w := b.Values[i]
		if v.Name != w.Name || v.Value != w.Value && !(math.IsNaN(v.Value) && math.IsNaN(w.Value)) {
			return false
		}
	}
	return true
}

func drawPoint(t *rapid.T) Point {
	p := Point{Step: rapid.Int64().Draw(t, "step"), Time: time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "s"), rapid.Int64Range(0, 1e9-1).Draw(t, "ns"))}
	number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}))
	for range rapid.IntRange(0, 4).Draw(t, "values") {
		p.Values = append(p.Values, Value{rapid.String().Draw(t, "name"), number.Draw(t, "value")})
	}
	return p
}

func TestPointJSONReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawPoint(t)
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Point
		if err := json.Unmarshal(b, &got); err != nil || !equal(got, want) {
			t.Fatalf("got %+v, %v\nwant %+v\n%s", got, err, want, b)
		}
	})
}

func writeLines(t *testing.T, path string, points ...Point) {
	t.Helper()
	lines, err := OpenLines(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		if err := lines.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := lines.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLinesTornAnywhere cuts a file off at every byte. Opening it again must keep every
// complete line, and writing must continue after them.
func TestLinesTornAnywhere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "whole.jsonl")
	first, second, third := point(1, Value{"a", 1.5}), point(2, Value{"a", 2.5}), point(3, Value{"b", 3.5})
	writeLines(t, path, first, second)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := strings.Index(string(content), "\n") + 1
	for cut := 0; cut <= len(content); cut++ {
		path := filepath.Join(dir, "torn.jsonl")
		if err := os.WriteFile(path, content[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		want := []Point{}
		if cut >= end {
			want = append(want, first)
		}
		if cut == len(content) {
			want = append(want, second)
		}
		before, err := ReadLines(path)
		if err != nil || !reflect.DeepEqual(append([]Point{}, before...), want) {
			t.Fatalf("cut at %d, read before reopening: %+v, %v", cut, before, err)
		}
		writeLines(t, path, third)
		got, err := ReadLines(path)
		if want = append(want, third); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("cut at %d: got %+v, %v\nwant %+v", cut, got, err, want)
		}
	}
}

func TestReadLinesNamesDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.jsonl")
	writeLines(t, path, point(1), point(2), point(3))
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := strings.Replace(string(content), `"step":2`, `"step"#2`, 1)
	if err := os.WriteFile(path, []byte(damaged), 0o644); err != nil {
		t.Fatal(err)
	}
	points, err := ReadLines(path)
	if err == nil || !strings.Contains(err.Error(), "m.jsonl:2: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	if len(points) != 2 || points[0].Step != 1 || points[1].Step != 3 {
		t.Errorf("points %+v", points)
	}
	if _, err := ReadLines(path + "x"); err == nil {
		t.Error("reading a missing file gave no error")
	}
}

func TestSeries(t *testing.T) {
	points := []Point{
		point(1, Value{"a", 10}), point(2, Value{"a", 20}, Value{"b", 200}), point(3, Value{"b", 300}), point(4, Value{"a", 40}),
		point(2, Value{"a", 21}), point(3, Value{"a", 31}), // resumed from step 1
	}
	var got []float64
	for _, s := range Series(points, "a") {
		got = append(got, float64(s.Step), s.Value)
	}
	if want := []float64{1, 10, 2, 21, 3, 31}; !reflect.DeepEqual(got, want) {
		t.Errorf("a: got %v, want %v", got, want)
	}
	if n := len(Series(points, "b")); n != 2 {
		t.Errorf("b has %d samples, want 2: its steps never went back", n)
	}
	if Series(points, "c") != nil {
		t.Error("c has samples")
	}
}
