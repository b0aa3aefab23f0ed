package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"warren/internal/arena"
	"warren/internal/durable"
	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/metrics"
	"warren/internal/nettest"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/settings"
	"warren/net"
)

// savedMatches returns the records of a run by name.
func savedMatches(t *testing.T, path string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(path, "matches", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, p := range paths {
		all[filepath.Base(p)] = string(read(t, p))
	}
	return all
}

func same(t *testing.T, a, b map[string]string) {
	t.Helper()
	if len(a) != len(b) {
		t.Errorf("%d records, interrupted %d", len(a), len(b))
	}
	for name, content := range a {
		if b[name] != content {
			t.Errorf("%s is not the same after interruptions:\n%s\n%s", name, content, b[name])
		}
	}
}

func TestLadder(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	c.Match.Every, c.Match.Games, c.Match.Visits, c.Match.TurnLimit = 1, 4, 2, 16
	c.Match.Baselines = "random rollouts:visits=1"
	whole := filepath.Join(t.TempDir(), "run")
	work(t, whole, c, -1)
	got := savedMatches(t, whole)
	for _, name := range []string{"gen-00001-random.json", "gen-00001-rollouts-visits-1.json", "gen-00001-first.json", "gen-00003-gen-00002.json",
		"ladder-00001.json", "ladder-00002.json", "ladder-00003.json"} {
		if got[name] == "" {
			t.Errorf("there is no record %s", name)
		}
	}
	points, err := metrics.ReadLines(filepath.Join(whole, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	elo, margin := metrics.Series(points, "match/elo"), metrics.Series(points, "match/elo_margin")
	if len(elo) != 3 || len(margin) != 3 || elo[2].Step != 3 || !(margin[0].Value > 50) || len(metrics.Series(points, "match/random")) == 0 {
		t.Errorf("the series: %v, %v", elo, margin)
	}

	broken := filepath.Join(t.TempDir(), "run")
	interrupt(t, broken, c, upTo(5, 1, 2))
	work(t, broken, c, -1) // the last measurement may have been interrupted
	same(t, got, savedMatches(t, broken))
	if final(t, whole) != final(t, broken) {
		t.Error("the networks differ")
	}
	// A lost record is made again and is the same.
	if err := os.Remove(filepath.Join(whole, "matches", "gen-00003-random.json")); err == nil {
		os.Remove(filepath.Join(whole, "matches", "ladder-00003.json"))
		work(t, whole, c, -1)
		same(t, got, savedMatches(t, whole))
	}
}

// Opponents that a generation has outgrown are left out for later ones.
func TestOutgrownOpponents(t *testing.T) {
	dir, err := OpenDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	c := tiny(recipe.Sync)
	c.Match.Baselines = "random greedy"
	l := &ladder{matches: &matches{config: &c, dir: dir, log: slog.New(slog.DiscardHandler)}} // without earlier networks
	write := func(opponent string, rate float64) {
		t.Helper()
		m, err := l.record(opponent, &eval.Network{Origin: eval.Origin{Generation: 2}}, arena.Tally{})
		if err != nil {
			t.Fatal(err)
		}
		m.Rate = rate
		if err := writeRecord(dir.match(2, opponent), m); err != nil {
			t.Fatal(err)
		}
	}
	write("random", 0.95)
	write("greedy", 0.94)
	plays := func(generation int, want ...string) {
		t.Helper()
		opponents, err := l.opponents(&eval.Network{Origin: eval.Origin{Generation: generation}})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, o := range opponents {
			names = append(names, o.entrant.Name())
		}
		if !slices.Equal(names, want) {
			t.Errorf("generation %d plays %q, want %q", generation, names, want)
		}
	}
	plays(2, "random", "greedy")
	plays(3, "greedy")
	write("greedy", 0.96)
	plays(3, "random", "greedy") // there is nobody else
	// The newest measured network that is there is played; that of generation 3 is not.
	l.networks = &networks{dir: dir, devices: saturated{}}
	n := nettest.New(t, c.Network, 1)
	for _, generation := range []int{1, 2, 4} {
		nettest.Save(t, dir.Network(generation), n, nil)
	}
	m, err := l.record("random", &eval.Network{Origin: eval.Origin{Generation: 3}}, arena.Tally{})
	if err != nil {
		t.Fatal(err)
	}
	if err := writeRecord(dir.match(3, "random"), m); err != nil {
		t.Fatal(err)
	}
	plays(5, "gen-00002")
	// Networks that search differently are other players, which have beaten nobody.
	c.Match.Visits++
	if list, err := l.opponents(&eval.Network{Origin: eval.Origin{Generation: 3}}); err != nil || len(list) != 3 {
		t.Errorf("with other visits it plays %d, %v", len(list), err)
	}
}

// A network without opponents is not rated.
func TestNobodyIsRatedWithoutAGame(t *testing.T) {
	dir, err := OpenDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	c := tiny(recipe.Sync)
	c.Match.Baselines = ""
	l := &ladder{matches: &matches{config: &c, dir: dir, reports: &reports{}, log: slog.New(slog.DiscardHandler)}} // without the first network
	me := &eval.Network{Origin: eval.Origin{Generation: 2}}
	if err := l.measure(t.Context(), me); err != nil || dir.rated(me) {
		t.Errorf("it is rated: %t, %v", dir.rated(me), err)
	}
}

// A network that is trained anew under the number of another is measured, even if that one was.
func TestResultsAreOfANetwork(t *testing.T) {
	dir, err := OpenDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	first := &opponent{file: againstFirst, entrant: arena.Seated(&eval.Network{}, "gen-00000", arena.SearchSettings{})}
	if err := errors.Join(os.MkdirAll(dir.matches(), 0o777), writeRecord(dir.match(2, againstFirst), &matchRecord{Player: "gen-00002", Opponent: "gen-00000", Network: "a"}),
		durable.WriteJSON(dir.ladder(2), &ladderRecord{Network: "a"}, "")); err != nil {
		t.Fatal(err)
	}
	for hash, want := range map[string]bool{"a": true, "b": false} {
		me := &eval.Network{Hash: hash, Origin: eval.Origin{Generation: 2}}
		if measured, rated := dir.measured(me, first), dir.rated(me); measured != want || rated != want {
			t.Errorf("the network %s of generation 2 is measured: %t, and rated: %t; want %t", hash, measured, rated, want)
		}
	}
}

func TestGatekeeper(t *testing.T) {
	t.Parallel()
	for _, kept := range []struct {
		elo0, elo1 float64
		playing    int
	}{{-1000, -900, 3}, {900, 1000, 1}} {
		c := tiny(recipe.Sync)
		c.Match.Visits, c.Match.TurnLimit = 2, 16
		c.Match.Gatekeeper.Games = 6
		c.Match.Gatekeeper.Test.Elo0, c.Match.Gatekeeper.Test.Elo1 = kept.elo0, kept.elo1
		whole := filepath.Join(t.TempDir(), "run")
		work(t, whole, c, -1)
		broken := filepath.Join(t.TempDir(), "run")
		interrupt(t, broken, c, upTo(5, 3, 2))
		work(t, broken, c, -1) // the last match may have been interrupted
		got := savedMatches(t, whole)
		if len(got) != 2 || got["gen-00003-gatekeeper.json"] == "" {
			t.Errorf("records %v", got)
		}
		same(t, got, savedMatches(t, broken))
		if final(t, whole) != final(t, broken) {
			t.Error("the networks differ")
		}
		log := read(t, filepath.Join(whole, "matches", "gen-00003-gatekeeper", arena.GamesFile))
		if rules := fmt.Sprintf(`{"rules":{"seed":%d,`, c.Seed+1<<19); !bytes.HasPrefix(log, []byte(rules)) { // not the ladder's
			t.Errorf("the first games are not of %s", rules)
		}
		sensed(t, whole)
		for _, path := range []string{whole, broken} {
			dir, err := OpenDir(path)
			if err != nil {
				t.Fatal(err)
			}
			s, _, err := dir.loadCheckpoint(nil)
			if err != nil || s.playing() != kept.playing || s.Untested || s.Generation != 3 {
				t.Errorf("%+v, want generation %d to play; %v", s, kept.playing, err)
			}
			dir.Close()
		}
	}
}

// sensed checks that the values of the probe positions of a tiny run's last point are those of its newest network, whether that
// plays or not.
func sensed(t *testing.T, path string) {
	t.Helper()
	dir := &Dir{path: path}
	n, _, err := net.Load(dir.Network(3))
	if err != nil {
		t.Fatal(err)
	}
	newest, err := device.Play(n, eval.Origin{}, "cpu")
	if err != nil {
		t.Fatal(err)
	}
	want, err := evaluateProbes(newest)
	if err != nil {
		t.Fatal(err)
	}
	points, err := metrics.ReadLines(dir.Metrics())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range want {
		s := metrics.Series(points, v.Name)
		if len(s) == 0 || s[len(s)-1].Step != 3 || s[len(s)-1].Value != v.Value {
			t.Errorf("%s goes %v, and the newest network says %g", v.Name, s, v.Value)
		}
	}
}

// An opponent that does not play is told from a weak one. The engine here is this program, which ends at once.
func TestForfeitsAreToldWithTheirCause(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	c.Match.Every, c.Match.Games, c.Match.Visits, c.Match.TurnLimit = 3, 2, 2, 4
	c.Match.Baselines = fmt.Sprintf(`"aei:'%s' -test.run=^$;label=dead"`, os.Args[0])
	_, w := work(t, filepath.Join(t.TempDir(), "run"), c, -1)
	if w.logged("dead forfeits: ") != 1 || w.logged("(2 of its 2 games)") != 1 {
		t.Errorf("logged %q", w.lines)
	}
}

// A run is complete once its newest network is rated, or nobody is there for it, and has passed the gatekeeper or not.
func TestCompleteWithoutAnythingLeft(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	c.Match.Every, c.Match.Games, c.Match.Visits, c.Match.TurnLimit = 2, 2, 2, 4
	c.Match.Baselines = "random"
	run := open(t, filepath.Join(t.TempDir(), "run"), c, observe.Tee(), slog.New(slog.DiscardHandler))
	defer shut(t, run)
	if err := run.Train(t.Context()); err != nil || !run.Complete() {
		t.Fatalf("not complete, %v", err)
	}
	run.progress.set(func(s *state) { s.Untested = true })
	if run.Complete() {
		t.Error("complete with an untested network")
	}
	run.progress.set(func(s *state) { s.Untested = false })
	if err := os.Remove(run.dir.ladder(3)); err != nil || run.Complete() {
		t.Errorf("complete without the rating, %v", err)
	}
	run.config.Match.Baselines = ""
	for _, generation := range []int{0, 2} {
		if err := os.Remove(run.dir.Network(generation)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.test(t.Context()); err != nil || !run.Complete() {
		t.Errorf("not complete without an opponent, %v", err)
	}
	run.matches.alone = "another"
	if run.Complete() {
		t.Error("complete because another network had no opponent")
	}
	if !run.matches.done(&eval.Network{}) {
		t.Error("the first network is to be measured")
	}
	run.progress.schedule.measure = 0
	if !run.Complete() {
		t.Error("not complete without matches")
	}
	run.progress.set(func(s *state) { s.Generation-- })
	if run.Complete() {
		t.Error("complete before its end")
	}
}

// A killed measurement continues with the next game. The games in its log stay, and
// the records are the same as without the kill.
func TestMeasurementGoesOnGameByGame(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	c.Match.Every, c.Match.Games, c.Match.Visits, c.Match.TurnLimit = 3, 4, 2, 16
	c.Match.Baselines = "random rollouts:visits=1"
	path := filepath.Join(t.TempDir(), "run")
	work(t, path, c, -1)
	want := savedMatches(t, path)
	log := filepath.Join(path, "matches", "gen-00003", arena.GamesFile)
	whole := read(t, log)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	kept := bytes.Join(lines[:len(lines)/2], nil)

	undo := func(content []byte) {
		t.Helper()
		records, err := filepath.Glob(filepath.Join(path, "matches", "*.json"))
		if err != nil || len(records) == 0 {
			t.Fatalf("records %v, %v", records, err)
		}
		for _, record := range records {
			if err := os.Remove(record); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(log, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	undo(append(bytes.Clone(kept), `{"game":{"gold":"ran`...)) // a kill can leave part of a line
	work(t, path, c, -1)
	same(t, want, savedMatches(t, path))
	if now := read(t, log); !bytes.HasPrefix(now, kept) || bytes.Count(now, []byte("\n")) != bytes.Count(whole, []byte("\n")) {
		t.Errorf("the log was not continued with:\n%s", now)
	}

	// With other settings, or a damaged log, the match begins again.
	undo(kept)
	c.Match.TurnLimit = 20
	if _, w := work(t, path, c, -1); w.logged("setting aside the games") != 1 {
		t.Errorf("another turn limit: logged %q", w.lines)
	}
	m, err := readMatch(filepath.Join(path, "matches", "gen-00003-random.json"))
	if err != nil {
		t.Fatal(err)
	}
	if m.TurnLimit != 20 || m.Search["win_test_steps"] != "100" || m.Search["noise_fraction"] != "0" || m.Score.Games() != 4 {
		t.Errorf("the record %+v", m)
	}
	undo([]byte("{\n"))
	if _, w := work(t, path, c, -1); w.logged("setting aside the games") != 1 {
		t.Errorf("a damaged log: logged %q", w.lines)
	}
}

// The records of a run of commit 7eb7886 give a rating, without the gatekeeper's matches, which are marked as commit
// f288acf marked them. Commit 7eb7886 computed 938 +-1437 from all: the prior of its fit was
// weaker where a player has lost every game.
func TestRecordsOfEarlierVersionsCount(t *testing.T) {
	dir := withMatches(t)
	config := recipe.DefaultConfig()
	if err := settings.Read("smoke", nil, &config); err != nil {
		t.Fatal(err)
	}
	var then ladderRecord
	if err := json.Unmarshal(read(t, dir.ladder(3)), &then); err != nil {
		t.Fatal(err)
	}
	records, err := dir.records(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	gatekeepers, first := 0, 0
	for _, m := range records {
		if m.Gatekeeper {
			gatekeepers++
		}
		if m.Opponent == "gen-00000" {
			first++
		}
	}
	if len(records) != 8 || gatekeepers != 2 || first != 3 {
		t.Errorf("%d records, %d of the gatekeeper, %d against the first network", len(records), gatekeepers, first)
	}
	l := &ladder{matches: &matches{config: &config, dir: dir}}
	now, err := l.rating(&eval.Network{Hash: then.Network, Origin: eval.Origin{Generation: 3}}, records)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(now.Elo-476.109) > 1e-3 || math.Abs(now.Margin-683.470) > 1e-3 || now.Zero != then.Zero {
		t.Errorf("rated %+v, want 476.109 +-683.470 from %s", now, then.Zero)
	}
	if len(now.Baselines) == 0 || now.Baselines[0] != (baselineRating{Name: now.Zero}) {
		t.Errorf("the baselines are %+v, and %s is 0", now.Baselines, now.Zero)
	}
	// A search setting that has been removed makes no difference.
	for i := range records {
		records[i].Search = map[string]string{"removed": "step"}
	}
	if same, err := l.rating(&eval.Network{Hash: then.Network, Origin: eval.Origin{Generation: 3}}, records); err != nil || !reflect.DeepEqual(same, now) {
		t.Errorf("with a removed setting rated %+v, %v", same, err)
	}
	// A network that searches differently is a different player.
	config.Match.Visits = 99
	if other, err := l.rating(&eval.Network{Origin: eval.Origin{Generation: 3}}, records); err != nil || other.Margin < 2*then.Margin {
		t.Errorf("with other visits rated %+v, %v", other, err)
	}
}
