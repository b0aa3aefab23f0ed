package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"warren/data"
	"warren/game"
	"warren/internal/console"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/settings"
	"warren/internal/train"
	"warren/net"
)

// small holds settings of the preset smoke that make a run of a second, with games that end on the board.
var small = []string{"loop.bootstrap_games=30", "loop.games_per_generation=2", "loop.generations=1", "match.every=0",
	"network.blocks=1", "network.channels=8", "selfplay.turn_limit=400", "learner.batch=16", "learner.held_out_samples=16"}

// record plays a run and returns its directory.
func record(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recorded")
	config := recipe.DefaultConfig()
	if err := settings.Read("smoke", small, &config); err != nil {
		t.Fatal(err)
	}
	dir, err := train.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	run, err := train.Open(t.Context(), dir, config, observe.Nobody, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// full is a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// The command trains a network on the games of a run with the run's settings, prints what the winner is
// predicted by and writes the network, the settings and the figures. It does not change the run.
func TestTrainsOnARun(t *testing.T) {
	run := record(t)
	before := files(t, run)
	f := flags{Runs: []string{run}, Steps: new(int64(12)), Set: []string{"network.channels=16"}}
	var out, status strings.Builder
	if err := f.run(t.Context(), &out, &status); err != nil {
		t.Fatal(err)
	}
	if now := files(t, run); now != before {
		t.Errorf("the run's files were\n%sand are\n%s", before, now)
	}
	learned := run + "-learned"
	n, meta, err := net.Load(filepath.Join(learned, "network.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if n.Config.Channels != 16 || n.Config.Blocks != 1 || meta["run"] != "recorded-learned" || meta["games_of"] != "recorded" || meta["steps"] != "12" {
		t.Errorf("the network is %v with %v", n.Config, meta)
	}
	config := recipe.DefaultConfig()
	if err := settings.Read(filepath.Join(learned, "config.yaml"), nil, &config); err != nil || config.Network != n.Config {
		t.Errorf("the settings are %+v, %v", config.Network, err)
	}
	points, err := metrics.ReadLines(filepath.Join(learned, "metrics.jsonl"))
	if err != nil || len(points) != 7 || len(metrics.Series(points, "held_out/value")) != 7 || len(metrics.Series(points, "outcome/pieces")) != 1 {
		t.Errorf("the figures are %v, %v", points, err)
	}
	for _, want := range []string{"\npieces ", "\nsearch ", "\nstep 0 ", "\nstep 12 ", "\nrabbit ", "\nelephant "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if !strings.Contains(status.String(), "Finished. The network is "+filepath.Join(learned, "network.safetensors")) {
		t.Errorf("it said\n%s", status.String())
	}

	again := flags{Runs: []string{run}, Steps: new(int64(12))}
	if err := again.run(t.Context(), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "choose another --out") {
		t.Errorf("a second training in the same directory: %v", err)
	}

	// If the table is lost, the command can be given again.
	lost := flags{Runs: []string{run}, Steps: new(int64(2)), Out: filepath.Join(t.TempDir(), "lost")}
	if err := lost.run(t.Context(), full{}, io.Discard); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("without room for the table: %v", err)
	}
	if err := lost.run(t.Context(), io.Discard, io.Discard); err != nil {
		t.Errorf("given again: %v", err)
	}
	if err := lost.run(t.Context(), io.Discard, io.Discard); err == nil {
		t.Error("a training whose table was written is repeated")
	}

	// A network continues learning in its own size or a larger one.
	f = flags{Runs: []string{run}, Passes: new(0.1), Out: filepath.Join(t.TempDir(), "on"), From: filepath.Join(learned, "network.safetensors")}
	if err := f.run(t.Context(), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "is a network 1x16, and the settings ask for 1x8") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a network that would have to shrink: %v", err)
	}
	for _, size := range []string{"16", "24"} {
		f.Set, f.Out, f.Steps, f.Passes = []string{"network.channels=" + size}, filepath.Join(t.TempDir(), size), new(int64(2)), nil
		if err := f.run(t.Context(), io.Discard, io.Discard); err != nil {
			t.Error(err)
		}
		n, _, err := net.Load(filepath.Join(f.Out, "network.safetensors"))
		if err != nil || n.Config.String() != "1x"+size {
			t.Errorf("with %s channels it learned %+v, %v", size, n, err)
		}
	}

	// After Ctrl-C there is still a network, or a line that says that nothing was trained.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f = flags{Runs: []string{run}, Steps: new(int64(12)), Out: filepath.Join(t.TempDir(), "stopped")}
	status.Reset()
	if err := f.run(ctx, io.Discard, &status); err != console.ErrStopped || !strings.Contains(status.String(), "Stopped before") {
		t.Errorf("stopped at once: %v\n%s", err, status.String())
	}
	if err := cmp.Or(writeEnd(io.Discard, 12, 12, "x"), writeEnd(io.Discard, 4, 12, "x")); err != console.ErrStopped {
		t.Errorf("stopped after 4 of 12 steps: %v", err)
	}
}

// files lists the games, networks and checkpoints of a run with their times.
func files(t *testing.T, run string) string {
	t.Helper()
	var list strings.Builder
	for _, sub := range []string{"games", "networks", "learner"} {
		entries, err := os.ReadDir(filepath.Join(run, sub))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			list.WriteString(info.Name() + " " + info.ModTime().String() + "\n")
		}
	}
	return list.String()
}

// Two trainings that begin at the same time do not write to one directory, nor does one that was
// still reading its games when another ended there.
func TestOneTrainingADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	lock, err := claim(dir, "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claim(dir, "one"); err == nil || !strings.Contains(err.Error(), "another training writes to") {
		t.Errorf("a second training got %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, seriesFile), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	lock.Close()
	if err := finish(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := claim(dir, "one"); err == nil || !strings.Contains(err.Error(), "the figures of another training") {
		t.Errorf("a later training got %v", err)
	}
}

// What a killed training has left does not stop the same training, and stops any other.
func TestKilledTrainingIsRepeated(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	for range 3 {
		lock, err := claim(dir, "one")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"config.yaml", seriesFile, train.LearnedFile, ".tmp-0123"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil && (name == seriesFile || name[0] == '.') {
				t.Errorf("%s of the killed training is still there", name)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte("{}\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		lock.Close() // as a kill does
		if err := free(dir, "two"); err == nil || !strings.Contains(err.Error(), "a killed training with other flags") {
			t.Errorf("another training there: %v", err)
		}
	}
	if err := finish(dir); err != nil {
		t.Fatal(err)
	}
	if err := free(dir, "one"); err == nil {
		t.Error("a finished training is repeated in its directory")
	}
}

// Flags and settings that make another training have other words.
func TestWordsTellTrainingsApart(t *testing.T) {
	c := recipe.DefaultConfig()
	words := func(f flags) string {
		t.Helper()
		w, err := f.words(&c)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	before := words(flags{Runs: []string{"a"}, Steps: new(int64(12))})
	if words(flags{Runs: []string{"a"}, Steps: new(int64(12)), Out: "b"}) != before {
		t.Error("the directory makes another training")
	}
	for _, f := range []flags{{Runs: []string{"a", "b"}, Steps: new(int64(12))}, {Runs: []string{"a"}, Steps: new(int64(13))}, {Runs: []string{"a"}, Steps: new(int64(12)), From: "c"}} {
		if words(f) == before {
			t.Errorf("%+v is the same training", f)
		}
	}
	c.Seed++
	if words(flags{Runs: []string{"a"}, Steps: new(int64(12))}) == before {
		t.Error("another seed is the same training")
	}
}

func TestBadInputGivesOneLine(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.MkdirAll(filepath.Join(empty, "games"), 0o777); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text.safetensors")
	if err := os.WriteFile(text, []byte("This is a shopping list: bread, butter, eggs.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(dir, "taken")
	if err := os.Mkdir(taken, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(taken, seriesFile), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	shards := filepath.Join(dir, "shards")
	if err := os.Mkdir(shards, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := data.WriteShard(shards, 1, []*data.Record{{Run: "none", Decisions: []data.Decision{{Action: game.PlaceAction(game.Rabbit)}}}}); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		flags
		want string
	}{
		"no such run":          {flags{Runs: []string{filepath.Join(dir, "none")}}, "there is no run " + filepath.Join(dir, "none")},
		"nor with settings":    {flags{Runs: []string{filepath.Join(dir, "none")}, Config: "smoke"}, "there is no run"},
		"no settings":          {flags{Runs: []string{empty}}, "name a preset or a file with --config"},
		"no games":             {flags{Runs: []string{empty}, Config: "smoke"}, "there are no games in"},
		"nothing to learn":     {flags{Runs: []string{shards}, Config: "smoke"}, "have 0 positions to train on, fewer than one minibatch (learner.batch 32)"},
		"steps below 0":        {flags{Runs: []string{shards}, Steps: new(int64(-1))}, "--steps is -1"},
		"no steps":             {flags{Runs: []string{shards}, Steps: new(int64(0))}, "--steps is 0, must be from 1"},
		"no passes":            {flags{Runs: []string{shards}, Passes: new(0.0)}, "--passes is 0, must be above 0"},
		"passes below 0":       {flags{Runs: []string{shards}, Passes: new(-1.0)}, "--passes is -1"},
		"steps and passes":     {flags{Runs: []string{shards}, Steps: new(int64(1)), Passes: new(1.0)}, "choose one"},
		"taken":                {flags{Runs: []string{shards}, Config: "smoke", Out: taken}, "choose another --out"},
		"a run":                {flags{Runs: []string{shards}, Config: "smoke", Out: empty}, `holds other things, such as "games"`},
		"one run twice":        {flags{Runs: []string{shards, shards + "/."}, Config: "smoke"}, "is named twice"},
		"one run missing":      {flags{Runs: []string{shards, filepath.Join(dir, "none")}, Config: "smoke"}, "there is no run " + filepath.Join(dir, "none")},
		"unknown setting":      {flags{Runs: []string{shards}, Config: "smoke", Set: []string{"learner.bach=1"}}, "learner.batch"},
		"unknown preset":       {flags{Runs: []string{shards}, Config: "smok"}, "smok"},
		"from a shopping list": {flags{Runs: []string{shards}, Config: "smoke", From: text}, "not a safetensors file"},
		"from nothing":         {flags{Runs: []string{shards}, Config: "smoke", From: filepath.Join(dir, "none.safetensors")}, "none.safetensors"},
	} {
		t.Run(name, func(t *testing.T) {
			f := test.flags
			if f.Out == "" {
				f.Out = filepath.Join(dir, "out")
			}
			err := f.run(t.Context(), io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, test.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
				t.Error("a directory was made")
			}
		})
	}
}

// A preset whose last stage continues from a network that plays has a rate that is too low for a fresh one.
func TestExamplesTeachFreshNetworksAtTheFullRate(t *testing.T) {
	full := recipe.DefaultConfig().Learner.Rate.Initial
	if advice := fmt.Sprintf("learner.rate.initial=%v.", full); !strings.Contains(description, advice) {
		t.Errorf("the description does not say %s", advice)
	}
	_, examples, _ := strings.Cut(description, "Examples:")
	preset, found := regexp.MustCompile(`--config (\S+)`), 0
	for line := range strings.Lines(examples) {
		m := preset.FindStringSubmatch(line)
		if m == nil || strings.Contains(line, "--from") {
			continue
		}
		found++
		if c, err := recipe.ReadLast(m[1], nil, io.Discard); err != nil || c.Learner.Rate.Initial < full {
			t.Errorf("%s: the rate is %v, less than %v, %v", strings.TrimSpace(line), c.Learner.Rate.Initial, full, err)
		}
	}
	if found == 0 {
		t.Error("no example trains a fresh network with a preset")
	}
}
