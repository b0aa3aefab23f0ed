package train

import (
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warren/data"
	"warren/data/replay"
	"warren/internal/nettest"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/net"
	"warren/net/bundled"
)

// counters returns the counters of a run's newest checkpoint.
func counters(t *testing.T, path string) state {
	t.Helper()
	s, tensors, err := (&Dir{path: path}).loadCheckpoint(slog.Default())
	if err != nil || tensors == nil {
		t.Fatalf("no checkpoint: %v", err)
	}
	return s
}

// A run whose games have been moved away continues where it was, and does not use a number again.
func TestRunGoesOnWithoutItsGames(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{recipe.Async, recipe.Sync} {
		path := filepath.Join(t.TempDir(), "run")
		games := filepath.Join(path, "games")
		c := tiny(mode)
		work(t, path, c, -1)
		before := counters(t, path)
		index, err := data.Scan(games, nil)
		if err != nil {
			t.Fatal(err)
		}
		away := filepath.Join(t.TempDir(), "away")
		if err := os.Rename(games, away); err != nil {
			t.Fatal(err)
		}
		c.Loop.Generations = 6
		finished := false
		for starts := 1; !finished; starts++ {
			if starts > 100 {
				t.Fatal("the run does not get on")
			}
			var w *watcher
			finished, w = work(t, path, c, 2+starts)
			if starts == 1 && w.logged("not in the run's directory") != 1 {
				t.Errorf("%s: logged %q", mode, w.lines)
			}
		}
		after := counters(t, path)
		if after.Step <= before.Step || after.Games < before.Games+3*c.Loop.GamesPerGeneration || after.Elapsed < before.Elapsed {
			t.Errorf("%s: it continued from %+v to %+v", mode, before, after)
		}
		added, err := data.Scan(games, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := index.Totals(); after.Moved != want {
			t.Errorf("%s: moved %+v, want %+v", mode, after.Moved, want)
		}
		for _, s := range added.Shards {
			if s.First < index.Next() {
				t.Errorf("%s: %s begins with game %d again; the games before ended with %d", mode, s.Path, s.First, index.Next()-1)
			}
			if mode == recipe.Async && s.Arrival <= index.Arrival {
				t.Errorf("%s arrived as number %d, no later than the games before, %d", s.Path, s.Arrival, index.Arrival)
			}
		}
		if after.Games > index.Games+added.Games {
			t.Errorf("%s: counted %d games; there are %d and %d", mode, after.Games, index.Games, added.Games)
		}
		// When the games come back they count once.
		if err := os.CopyFS(games, os.DirFS(away)); err != nil {
			t.Fatal(err)
		}
		c.Loop.Generations = 7
		work(t, path, c, -1)
		if added, err = data.Scan(games, nil); err != nil {
			t.Fatal(err)
		}
		after = counters(t, path)
		if want := added.Totals(); after.Saved != want || after.Moved != (data.Totals{}) {
			t.Errorf("%s: with the games back there are %+v, of these %+v elsewhere; want %+v", mode, after.Saved, after.Moved, want)
		}
	}
}

// A run counts games that are gone as collected, also those that came after its newest network: else it would be trained
// on few new games as if they were all of these. The oldest go first, so those that are there are collected still.
func TestGamesThatAreGoneCountAsCollected(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		there, games, positions int // of 20 games with 25 positions each, of which 12 are collected
	}{{0, 20, 500}, {3, 17, 425}, {17, 12, 300}} {
		p := newProgress([]recipe.Stage{{Config: tiny(recipe.Async)}})
		store := &Store{windows: replay.NewWindows(p.schedule.stages[0].Data), config: p.schedule.stages[0].Config}
		s := &p.state
		s.Games, s.Positions, s.Saved = 12, 300, data.Totals{Games: 20, Positions: 500, Next: 20}
		continues := func(there, games, positions int) {
			t.Helper()
			store.index = &data.Index{Shards: []data.ShardInfo{{Last: 19, Games: there, Positions: 25 * there}}}
			s.countMoved(store.index, slog.New(slog.DiscardHandler))
			p.reconcile(store)
			if s.Games != games || s.Positions != positions || s.First != 20 || s.Moved != s.Saved {
				t.Errorf("with %d of 20 games, now %d, it continues at %+v", c.there, there, s)
			}
		}
		for range 2 { // once more after a kill
			continues(c.there, c.games, c.positions)
		}
		continues(0, 20, 500) // the others are removed before the next generation
	}
}

// The commands of docs/how-to/health.md can begin with a network of quick, and with one of the last stage of desktop,
// where the page asks for its settings.
func TestCommandsOfHealthBegin(t *testing.T) {
	t.Parallel()
	commands := regexp.MustCompile(`--config (\S+)((?: --set \S+)*) --run .* --from RUN`).FindAllSubmatch(read(t, "../../docs/how-to/health.md"), -1)
	if len(commands) != 2 {
		t.Fatalf("found %q", commands)
	}
	for _, preset := range []string{"quick", "desktop"} {
		of := recipe.DefaultConfig()
		_, err := recipe.Apply(preset, nil, &of)
		list, bad := of.StageList()
		if err = errors.Join(err, bad); err != nil {
			t.Fatal(err)
		}
		last := list[len(list)-1]
		changes, err := last.Changes(&list[0])
		if err != nil {
			t.Fatal(err)
		}
		path := nettest.Save(t, filepath.Join(t.TempDir(), "network.safetensors"), nettest.New(t, last.Network, 1), nil)
		for _, m := range commands {
			config, set := string(m[1]), strings.Fields(strings.ReplaceAll(string(m[2]), "--set", ""))
			if config == "RUN/config.yaml" {
				config, set = preset, append(set, "loop.stages=")
				for _, change := range changes {
					if value := change.Key + "=" + change.After; !slices.Contains(set, value) {
						set = append(set, value)
					}
				}
			}
			c := recipe.DefaultConfig()
			_, err := recipe.Apply(config, set, &c)
			if err == nil {
				_, _, err = LoadFirst(path, c)
			}
			if err != nil {
				t.Errorf("%s, of %s: %v", m[0], preset, err)
			}
			if rate := c.Learner.Rate.Initial; rate >= recipe.DefaultConfig().Learner.Rate.Initial {
				t.Errorf("%s, of %s: the rate is %v, as for a fresh network", m[0], preset, rate)
			}
		}
	}
}

func TestRunBeginsWithNetwork(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	first := nettest.New(t, c.Network, 99)
	from := nettest.Save(t, filepath.Join(t.TempDir(), "from.safetensors"), first, nil)
	path := filepath.Join(t.TempDir(), "run")
	log := &watcher{left: -1}
	begin := func(c recipe.Config) error {
		dir, err := OpenDir(path)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		return dir.Begin(c, from, slog.New(log))
	}
	smaller := c
	smaller.Network.ValueHidden--
	if err := begin(smaller); err == nil || !strings.Contains(err.Error(), from) {
		t.Errorf("with fewer hidden units: %v", err)
	}
	if err := begin(c); err != nil {
		t.Fatal(err)
	}
	// A run that was stopped before it had read its games has no settings yet.
	nettest.Save(t, from, nettest.New(t, c.Network, 98), nil)
	if err := begin(c); err != nil || log.logged("--from has no effect") != 1 {
		t.Errorf("with another network before the run has settings: %v, logged %q", err, log.lines)
	}
	nettest.Save(t, from, first, nil)
	finished := false
	for starts := 1; !finished; starts++ { // a restart changes no number
		if starts > 100 {
			t.Fatal("the run does not get on")
		}
		finished, _ = work(t, path, c, 2+starts)
	}
	for generation := range 2 {
		n, _, err := net.Load((&Dir{path: path}).Network(generation))
		if err != nil {
			t.Fatal(err)
		}
		if n.Hash() != first.Hash() {
			t.Errorf("generation %d has other weights", generation)
		}
	}
	for _, r := range records(t, path) {
		if r.Generation == 0 {
			t.Fatalf("game %d is of generation 0", r.Game)
		}
	}
	before, played := counters(t, path), slices.Sorted(maps.Keys(games(t, path)))
	if n := before.Generation - 1; n != c.Loop.Generations {
		t.Errorf("the run has trained %d networks, want %d", n, c.Loop.Generations)
	}
	if n := c.Loop.Generations * c.Loop.GamesPerGeneration; len(played) != n || played[0] != 0 || played[n-1] != uint64(n-1) {
		t.Errorf("the run has the games %d, want those from 0 to %d", played, n-1)
	}
	for _, times := range []int{1, 2} { // the second time from is another network
		if err := begin(c); err != nil || log.logged("--from has no effect") != times {
			t.Errorf("once the run has begun: %v, logged %q", err, log.lines)
		}
		nettest.Save(t, from, nettest.New(t, c.Network, 98), nil)
	}
	// A run that has moved need not have its first network, and nothing is said of what is not known.
	if err := os.Remove((&Dir{path: path}).Network(0)); err != nil {
		t.Fatal(err)
	}
	if err := begin(c); err != nil || log.logged("--from has no effect") != 2 {
		t.Errorf("without its first network: %v, logged %q", err, log.lines)
	}
	if after := counters(t, path); after != before {
		t.Errorf("it went back from %+v to %+v", before, after)
	}
}

func TestFirstNetworkFromTheBox(t *testing.T) {
	t.Parallel()
	shipped, _, err := bundled.Checkpoint(bundled.Name)
	if err != nil {
		t.Fatal(err)
	}
	c := recipe.DefaultConfig()
	c.Network = shipped.Config
	if n, _, err := LoadFirst(bundled.Name, c); err != nil || n.Hash() != shipped.Hash() {
		t.Errorf("another network, %v", err)
	}
	c.Network.Blocks--
	for stages, want := range map[string]string{
		"":                     "; change the settings, or leave out --from",
		"0.5 network.blocks=6": "; choose settings without loop.stages, whose first network is small, such as --config default with --set selfplay.visits.games=0 --set learner.rate.initial=0.0005, or leave out --from",
	} {
		c.Loop.Stages = stages
		if _, _, err := LoadFirst(bundled.Name, c); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("with the stages %q: %v, want %s", stages, err, want)
		}
	}
}

func TestSmallerFirstNetworkGrows(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	small := nettest.New(t, c.Network, 99)
	from := nettest.Save(t, filepath.Join(t.TempDir(), "from.safetensors"), small, nil)
	c.Network.Blocks, c.Network.Channels = 2, 16
	path := filepath.Join(t.TempDir(), "run")
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := dir.Begin(c, from, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	first, meta, err := net.Load(dir.Network(0))
	if err != nil {
		t.Fatal(err)
	}
	if meta["from"] != small.Hash() {
		t.Errorf("it is from %s, want the small network's %s", meta["from"], small.Hash())
	}
	want, err := small.Grow(c.Network, c.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if first.Config != c.Network || first.Hash() != want.Hash() {
		t.Errorf("the run begins with another network, %v", first.Config)
	}
}

// TestRunBeginsWithGames: games that are there when a run begins fill the window, and if it begins with a network, count as
// collected. The run plays no number that may be one of theirs or that is discarded.
func TestRunBeginsWithGames(t *testing.T) {
	t.Parallel()
	for i, mode := range []string{recipe.Sync, recipe.Async, recipe.Sync, recipe.Async} {
		c, from, discarded := tiny(mode), i < 2, "[]"
		if from {
			discarded = `[{"first":8,"count":2048},{"first":2,"count":1}]`
		}
		old, path := filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "run")
		work(t, old, c, -1)
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(path, "games"), os.DirFS(filepath.Join(old, "games"))); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "discarded.json"), []byte(discarded), 0o666); err != nil {
			t.Fatal(err)
		}
		shards, err := filepath.Glob(filepath.Join(path, "games", "*"))
		if err == nil {
			err = os.Remove(shards[0]) // the numbers of the oldest games are missing
		}
		if err != nil {
			t.Fatal(err)
		}
		others := games(t, path)
		var before state
		played, lowest := len(others), slices.Max(slices.Collect(maps.Keys(others)))+1
		if from {
			lowest = 8 + 2048
			dir, err := OpenDir(path)
			if err != nil {
				t.Fatal(err)
			}
			err = dir.Begin(c, (&Dir{path: old}).Network(3), slog.New(slog.DiscardHandler))
			if err := errors.Join(err, dir.Close()); err != nil {
				t.Fatal(err)
			}
			before = counters(t, path)
			if before.Games != played {
				t.Errorf("%s: %d games count as collected, want %d", mode, before.Games, played)
			}
			if before.Saved.Games != played { // else nobody notices that they are gone, and the run waits for as many
				t.Errorf("%s: %d games count as saved, want %d", mode, before.Saved.Games, played)
			}
		}
		w := &watcher{}
		shut(t, open(t, path, c, w, slog.New(w))) // which saves as little as a kill
		if w.logged("continuing") != 0 || w.logged("begins with the games that are there") != 1 {
			t.Errorf("%s: of a new run it logged %q", mode, w.lines)
		}
		work(t, path, c, -1)
		for number := range games(t, path) {
			if _, other := others[number]; !other && number < lowest {
				t.Errorf("%s, begun with a network %t: it has played game %d, want none below %d", mode, from, number, lowest)
			}
		}
		if name, err := (&Dir{path: path}).readName(); err != nil || from && name != "run" {
			t.Errorf("%s: the run is called %q, %v, and not as that of the games", mode, name, err)
		}
		s := counters(t, path)
		fresh := len(games(t, path)) - played
		if least := c.Loop.Generations * c.Loop.GamesPerGeneration; from && fresh < least {
			t.Errorf("%s: it has played %d games, want %d at least", mode, fresh, least)
		}
		if most := float64(s.Positions-before.Positions)*c.Loop.ReplayRatio + float64(c.Learner.Batch*c.Loop.Generations); float64(s.Samples) > most {
			t.Errorf("%s: it has trained on %d samples, want %.0f at most", mode, s.Samples, most)
		}
		here, away := filepath.Join(path, "games"), filepath.Join(path, "away")
		for _, move := range [][2]string{{here, away}, {away, here}} {
			os.Remove(move[1]) // empty
			if err := os.Rename(move[0], move[1]); err != nil {
				t.Fatal(err)
			}
			run := open(t, path, c, observe.Nobody, slog.New(slog.DiscardHandler))
			if !run.store.index.Has(0) {
				t.Errorf("%s: with its games moved to %s it may play game 0 of the other run", mode, move[1])
			}
			shut(t, run)
		}
	}
}

// TestRunBeginsWithoutOldMatches: a run does not begin with a network where matches of another are, which it would take
// for its own. They stay.
func TestRunBeginsWithoutOldMatches(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	from := nettest.Save(t, filepath.Join(t.TempDir(), "from.safetensors"), nettest.New(t, c.Network, 99), nil)
	path := filepath.Join(t.TempDir(), "run")
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	file := dir.match(1, "random")
	if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	err = dir.Begin(c, from, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "leave out its matches/") || strings.Contains(err.Error(), "\n") {
		t.Errorf("it begins: %v", err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	if saved, err := dir.checkpoints(); err != nil || len(saved) > 0 || string(read(t, file)) != "old" {
		t.Errorf("the run has begun, %v", err)
	}
}
