//go:build !js

package page

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warren/data"
	"warren/game"
	"warren/internal/metrics"
)

// sent is the answer to a request for series. Null is nil.
type sent struct {
	Steps, Times []int64
	Values       map[string][]*float64
}

func TestSeries(t *testing.T) {
	dir := fixture(t)
	s := serverOf(t, Config{Runs: []string{dir}})
	var c sent
	s.ask(t, "GET", "/api/runs/0/series", nil, &c)
	if len(c.Steps) != 12 || len(c.Values["loss/policy"]) != 12 || *c.Values["loss/policy"][3] != 0.5 || c.Times[1] != 120_000 {
		t.Errorf("the series are %+v", c)
	}
	// The run is resumed from step 10, and one more is rated.
	writePoints(t, dir, 10, 14)
	lines, err := metrics.OpenLines(filepath.Join(dir, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines.Write(metrics.Point{Step: 13, Time: time.Unix(1, 0), Values: []metrics.Value{{Name: "match/elo", Value: -40}, {Name: "odd", Value: math.NaN()}}})
	lines.Close()
	c = sent{}
	s.ask(t, "GET", "/api/runs/0/series?from=9", nil, &c)
	mustBe(t, "the steps", c.Steps, "[9 10 11 12 13 14]")
	if elo := c.Values["match/elo"]; len(elo) != 6 || elo[3] != nil || *elo[4] != -40 {
		t.Errorf("the rating is %v", elo)
	}
	if _, ok := c.Values["odd"]; ok {
		t.Error("a series without a number is sent")
	}
}

// The columns agree with metrics.Series, however often and wherever a run was
// resumed, and whatever steps its points have.
func TestSeriesAsInMetrics(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var all series
		var points []metrics.Point
		step := int64(0)
		for i := range 60 {
			if step++; r.IntN(8) == 0 {
				step = max(0, step-r.Int64N(6))
			}
			p := metrics.Point{Step: step + r.Int64N(2), Time: time.Unix(int64(i), 0)}
			for _, name := range []string{"a", "b", "c"} {
				if r.IntN(3) > 0 {
					p.Values = append(p.Values, metrics.Value{Name: name, Value: r.Float64()})
				}
			}
			points = append(points, p)
			all.add(p)
		}
		from := r.Int64N(step + 2)
		part := all.after(from)
		for _, name := range []string{"a", "b", "c"} {
			want := metrics.Series(points, name)
			got := all.samples(name)
			if !slices.EqualFunc(got, want, func(x, y metrics.Sample) bool { return x.Step == y.Step && x.Value == y.Value }) {
				t.Fatalf("%s has the samples %v, want %v", name, got, want)
			}
			want = slices.DeleteFunc(want, func(s metrics.Sample) bool { return s.Step < from })
			n := 0
			for row, x := range part.Values[name] {
				if math.IsNaN(x) {
					continue
				}
				if n == len(want) || want[n].Step != part.Steps[row] || want[n].Value != x {
					t.Fatalf("from step %d, %s has %v in row %d of the steps %v, want %v", from, name, x, row, part.Steps, want)
				}
				n++
			}
			if n != len(want) {
				t.Fatalf("from step %d, %s has %d values, want %d", from, name, n, len(want))
			}
		}
	}
}

// thousand is a run directory with a thousand generations of forty values each.
func thousand(t testing.TB) string {
	dir := fixture(t)
	lines, err := metrics.OpenLines(filepath.Join(dir, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	for step := range int64(1000) {
		p := metrics.Point{Step: 13 + step, Time: time.Unix(step, 0)}
		for i := range 40 {
			p.Values = append(p.Values, metrics.Value{Name: fmt.Sprintf("made/up_%d", i), Value: float64(step) / float64(i+1)})
		}
		if err := lines.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSeriesOfAThousandGenerations(t *testing.T) {
	dir := thousand(t)
	s := serverOf(t, Config{Runs: []string{dir}})
	var c sent
	s.ask(t, "GET", "/api/runs/0/series", nil, &c)
	if len(c.Steps) != 1012 || len(c.Values["made/up_7"]) != 1012 {
		t.Errorf("%d steps", len(c.Steps))
	}
	// The next generation costs only its own line.
	before := s.runs[0].read
	writePoints(t, dir, 1013, 1013)
	c = sent{}
	s.ask(t, "GET", "/api/runs/0/series?from=1012", nil, &c)
	if len(c.Steps) != 2 || c.Values["loss/policy"][1] == nil || s.runs[0].read <= before {
		t.Errorf("after another generation: %v, read %d and then %d bytes", c.Steps, before, s.runs[0].read)
	}
	// A shorter file is another one.
	if err := os.Truncate(filepath.Join(dir, "metrics.jsonl"), 0); err != nil {
		t.Fatal(err)
	}
	writePoints(t, dir, 1, 3)
	c = sent{}
	s.ask(t, "GET", "/api/runs/0/series", nil, &c)
	mustBe(t, "the steps of another file", c.Steps, "[1 2 3]")
}

// A run whose measurements cannot be read is not one that has measured nothing.
func TestVerdictOfDamage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "metrics.jsonl")
	write := func(path, content string) {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "config.yaml"), "")
	if text, err := Verdict(dir); err != nil || !strings.HasPrefix(text, "Nothing has been measured yet.") {
		t.Errorf("without a file: %q, %v", text, err)
	}
	write(path, "\x01\x02\nnothing\n")
	if text, err := Verdict(dir); err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "no line of "+path) {
		t.Errorf("of damaged lines alone: %q, %v", text, err)
	}
	write(path, `{"step":1,"time":"2026-01-02T03:04:05Z","values":{"total/games":7}}`+"\nnothing\n")
	if text, err := Verdict(dir); err != nil || !strings.Contains(text, "7 games") || !strings.Contains(text, "1 of its measurements") {
		t.Errorf("with a damaged line: %q, %v", text, err)
	}
	s := serverOf(t, Config{Runs: []string{dir}})
	var c columns
	s.ask(t, "GET", "/api/runs/0/series", nil, &c)
	if !strings.HasSuffix(c.Verdict, "1 of its measurements are damaged, and left out.") {
		t.Errorf("on the page, with a damaged line: %q", c.Verdict)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if text, err := Verdict(dir); err == nil {
		t.Errorf("of a directory instead of the file: %q", text)
	}
	for range 2 { // it is tried again
		if code, text := s.problemOf(t, "GET", "/api/runs/0/series", nil); code == http.StatusOK || !strings.Contains(text, path) {
			t.Errorf("on the page, of a directory instead of the file: %d %s", code, text)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.ask(t, "GET", "/api/runs/0/series", nil, &c)
	if !strings.HasPrefix(c.Verdict, "Nothing has been measured yet.") {
		t.Errorf("on the page, without a file: %q", c.Verdict)
	}
}

func TestVerdict(t *testing.T) {
	if v := verdict(&series{}); !strings.Contains(v, "Nothing has been measured") {
		t.Error(v)
	}
	var all series
	for i := range 20 {
		values := []metrics.Value{
			{Name: "loss/value", Value: 0.6 - 0.01*float64(i)}, {Name: "held_out/value", Value: 0.6 + 0.01*float64(i)},
			{Name: "loss/policy", Value: 2 - 0.05*float64(i)}, {Name: "held_out/policy", Value: 2 - 0.05*float64(i)},
			{Name: "total/games", Value: float64(100 * i)}, {Name: "total/minutes", Value: float64(10 * i)}, {Name: "games/end_goal", Value: 0.9}, {Name: "games/turns", Value: 51},
		}
		all.add(metrics.Point{Step: int64(i), Time: time.Unix(600*int64(i), 0), Values: values})
		if i%3 == 1 {
			all.add(metrics.Point{Step: int64(i), Time: time.Unix(600*int64(i), 0), Values: []metrics.Value{{Name: "match/elo", Value: 10 * float64(i)}, {Name: "match/elo_margin", Value: 60}}})
		}
	}
	young := series{}
	young.add(metrics.Point{Step: 1, Values: []metrics.Value{{Name: "loss/policy", Value: 2}, {Name: "held_out/policy", Value: 2}}})
	if got, want := verdict(&young), "Generation 1. Not rated: no match has been played. Whether the losses fall is known from generation 10 on."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	level := series{}
	for i := range 2 {
		level.add(metrics.Point{Step: int64(i), Time: time.Unix(3600*int64(i), 0), Values: []metrics.Value{{Name: "total/games", Value: 1}, {Name: "match/elo", Value: -0.1 - 0.1*float64(i)}}})
	}
	if got, want := verdict(&level), "Generation 1, after 1 game. Rated +0, +0 in the last 60 minutes."; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	got := verdict(&all)
	for _, want := range []string{"Generation 19, after 1900 games and 3 h 10 min.", "Rated +190 ± 60, +60 in the last 60 minutes.", "Held-out policy loss falls", "value loss rises", "and parts from training", "90% of the games from the setup end by goal; a game lasts 51 turns"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if strings.Contains(strings.Split(got, ";")[0], "parts from training") {
		t.Errorf("%q: the policy loss does not part", got)
	}
}

// The losses of two stages of a run have different targets.
func TestVerdictOfAStage(t *testing.T) {
	for generations, want := range map[int64]string{
		25: "Whether the losses fall is known from generation 30 on.",
		30: "Held-out policy loss falls (1.980, 2.030 before).",
		45: "Held-out policy loss falls (1.830, 1.880 before).",
	} {
		var all series
		for step := int64(1); step <= generations; step++ {
			stage, loss := 1.0, 1.5
			if step > 20 {
				stage, loss = 2, 2.26-0.01*float64(step)
			}
			all.add(metrics.Point{Step: step, Values: []metrics.Value{{Name: "loss/policy", Value: loss}, {Name: "held_out/policy", Value: loss}, {Name: "learner/stage", Value: stage}}})
		}
		if got := verdict(&all); !strings.HasSuffix(got, want) {
			t.Errorf("after %d generations: %q, want %q", generations, got, want)
		}
	}
}

func TestGames(t *testing.T) {
	dir := fixture(t)
	s := serverOf(t, Config{Runs: []string{dir}})
	numbers := func(query string) (list []uint64) {
		before := ""
		for {
			var got gameList
			if code := s.ask(t, "GET", "/api/runs/0/games?"+query+before, nil, &got); code != http.StatusOK {
				t.Fatalf("%s: %d", query, code)
			}
			for _, g := range got.Games {
				list = append(list, g.Game)
			}
			if !got.More {
				return list
			}
			before = "&before=" + jsonOf(got.Next)
		}
	}
	mustBe(t, "all games", numbers(""), "[19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0]")
	mustBe(t, "the games of generation 0", numbers("generation=0"), "[9 8 7 6 5 4 3 2 1 0]")
	mustBe(t, "the short games", numbers("longest=5"), "[11 10 1 0]")
	mustBe(t, "the games without a result", len(numbers("winner=none")), 20)
	mustBe(t, "the games that Gold won", len(numbers("winner=gold&reason=goal")), 0)
	mustBe(t, "the games below 3", numbers("before=3"), "[2 1 0]")
	run := s.runs[0]
	got, err := run.games.list(t.Context(), query{generation: -1, before: 1 << 63, limit: 7, patience: time.Minute})
	if err != nil || len(got.Games) != 7 || !got.More || got.Next != 13 {
		t.Errorf("a short list: %+v, %v", got, err)
	}

	var f replayed
	s.ask(t, "GET", "/api/runs/0/games/12", nil, &f)
	want := randomRecord(12, 6)
	if len(f.Frames) != len(want.Decisions) || f.Turns != 6 || f.Generation != 1 || f.Frames[0].Label != "1g" || f.Frames[32].Label != "2g" {
		t.Fatalf("the replay has %d frames and %d turns, want %d", len(f.Frames), f.Turns, len(want.Decisions))
	}
	for i, frame := range f.Frames[32:] {
		d := want.Decisions[32+i]
		value := float32(0.75)
		if frame.Side == "silver" {
			value = 0.25
		}
		if frame.Action != d.Action || frame.Value == nil || *frame.Value != value || len(frame.Visits) != 1 || frame.Visits[0] != [2]int{int(d.Action), 3} {
			t.Errorf("frame %d is %+v, want %+v", 32+i, frame, d)
		}
	}
	drawn := frame{}
	drawn.search(&data.Decision{Action: game.PlaceAction(game.Cat), Value: 0.75, Visits: []data.Visit{{Action: game.PlaceAction(game.Cat), Count: 1}}})
	if !drawn.Drawn || drawn.Full || f.Frames[32].Drawn {
		t.Errorf("a placement that was drawn is the frame %+v, and a step that was searched %+v", drawn, f.Frames[32])
	}
	if code, text := s.problemOf(t, "GET", "/api/runs/0/games/77", nil); code != http.StatusNotFound || !strings.Contains(text, "game 77") {
		t.Errorf("a missing game: %d %s", code, text)
	}
}

func jsonOf(n uint64) string { return strconv.FormatUint(n, 10) }

// A damaged shard is left where it is; its games are missing and the others are
// there.
func TestDamagedShard(t *testing.T) {
	dir := fixture(t)
	paths, _ := filepath.Glob(filepath.Join(dir, "games", "*.parquet"))
	content, err := os.ReadFile(paths[1])
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	for _, content := range [][]byte{content, content[:len(content)/2]} {
		if err := os.WriteFile(paths[1], content, 0o666); err != nil {
			t.Fatal(err)
		}
		s := serverOf(t, Config{Runs: []string{dir}})
		var got gameList
		if code := s.ask(t, "GET", "/api/runs/0/games", nil, &got); code != http.StatusOK || len(got.Games) != 10 || got.More {
			t.Errorf("%d, %d games", code, len(got.Games))
		}
		if code, _ := s.problemOf(t, "GET", "/api/runs/0/games/15", nil); code != http.StatusNotFound {
			t.Errorf("a game in it: %d", code)
		}
		now, err := os.ReadFile(paths[1])
		if err != nil || !bytes.Equal(now, content) {
			t.Errorf("the page has touched the shard: %v", err)
		}
	}
}

// The page forgets the headers of the shards that were used least recently.
func TestHeadersAreBounded(t *testing.T) {
	s := storedGames{folder: "nowhere", headers: map[string][]data.Header{}}
	big := make([]data.Header, maxHeaders/2)
	for _, name := range []string{"a", "b"} {
		s.headers[name], s.order, s.held = big, append(s.order, name), s.held+len(big)
	}
	if _, err := s.of("a"); err != nil {
		t.Fatal(err)
	}
	s.folder = filepath.Join(fixture(t), "games")
	shards, err := s.shards(t.Context())
	if err != nil || len(shards) != 2 {
		t.Fatal(err)
	}
	if list, err := s.of(shards[0].file); err != nil || len(list) != 10 || list[0].Game != 10 {
		t.Fatalf("%v, %v", list, err)
	}
	if s.headers["a"] == nil || s.headers["b"] != nil || s.held != len(big)+10 || len(s.order) != 2 {
		t.Errorf("it holds %d headers of %v", s.held, s.order)
	}
}

func TestNotARun(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "nothing")} {
		if _, err := New(Config{Runs: []string{path}}); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "metrics.jsonl"), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Config{Runs: []string{dir}}); err == nil || !strings.Contains(err.Error(), "has lost its settings") {
		t.Errorf("a run without its settings: %v", err)
	}
	if err := os.Symlink("config.yaml", filepath.Join(dir, "config.yaml")); err == nil {
		if _, err := New(Config{Runs: []string{dir}}); err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("a run whose settings cannot be read: %v", err)
		}
	}
	file := filepath.Join(dir, "x.safetensors")
	os.WriteFile(file, []byte("not a network"), 0o666)
	if _, err := New(Config{Network: file}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a wrong network: %v", err)
	}
}

func TestBaselines(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run[1]") // not a pattern
	if err := os.Rename(fixture(t), dir); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"ladder-00001.json": `{"generation":1,"zero":"random","elo":3,"margin":4}`, // of an earlier version
		"ladder-00002.json": `{"generation":2,"zero":"greedy","visits":48,"elo":1,"margin":2,"baselines":[{"name":"greedy","elo":0,"margin":0},{"name":"random","elo":-400,"margin":90}]}`,
		"ladder-00003.json": `{`,
	} {
		if err := os.WriteFile(filepath.Join(dir, "matches", name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, networks, zero := new(ladder).read(dir)
	if len(list) != 2 || list[0].Name != "greedy" || list[0].Elo != 0 || list[1].Name != "random" || list[1].Elo != -400 || zero != "greedy" {
		t.Errorf("the baselines are %v, and %s is 0", list, zero)
	}
	mustBe(t, "the ratings of the networks", networks, "map[1:{gen-00001 3 4 } 2:{gen-00002 1 2 }]")
}
