package selfplay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/data/datatest"
	"warren/internal/console"
	"warren/internal/hub"
	"warren/internal/nettest"
	"warren/net/bundled"
)

func network(t *testing.T) string { return networkOf(t, 1) }

// networkOf saves a network whose weights are those of a seed.
func networkOf(t *testing.T, seed uint64) string {
	t.Helper()
	return nettest.Save(t, filepath.Join(t.TempDir(), "net.safetensors"), nettest.New(t, nettest.Small, seed), map[string]string{"generation": "4"})
}

func play(t *testing.T, f flags, set ...string) map[uint64][]byte {
	t.Helper()
	f.Config = "smoke"
	f.Set = append(set, "selfplay.turn_limit=10", "data.games_per_shard=3")
	if err := f.run(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	records := map[uint64][]byte{}
	for _, r := range datatest.Read(t, f.Out) {
		if r.Generation != 4 {
			t.Errorf("game %d is of generation %d", r.Game, r.Generation)
		}
		var err error
		if records[r.Game], err = r.AppendBinary(nil); err != nil {
			t.Fatal(err)
		}
	}
	return records
}

// The same seed and network give the same records, byte for byte: with one
// worker, with two, and when the games are played by two calls.
func TestRecordsAreTheSame(t *testing.T) {
	f := flags{Network: network(t), Games: 8, Seed: 3, Out: t.TempDir()}
	want := play(t, f, "selfplay.workers=1")
	if len(want) != 8 {
		t.Fatalf("%d games, want 8", len(want))
	}
	f.Out = t.TempDir()
	two := play(t, f, "selfplay.workers=2", "selfplay.games_per_worker=3")
	f.Out, f.Games = t.TempDir(), 5
	play(t, f, "selfplay.workers=2")
	f.Games = 8
	later := play(t, f, "selfplay.workers=1")
	for number := range want {
		if !bytes.Equal(want[number], two[number]) {
			t.Errorf("game %d differs with two workers", number)
		}
		if !bytes.Equal(want[number], later[number]) {
			t.Errorf("game %d differs in two goes", number)
		}
	}
}

// A directory has games of one network, one seed and the same settings, wherever the network's file
// lies and whatever the number of workers. Once it has all games, no command plays more without saying so.
func TestGoesOnOnlyWithTheSame(t *testing.T) {
	first := flags{
		Network: network(t), Games: 2, Seed: 3, Out: t.TempDir(), Config: "smoke",
		Set: []string{"selfplay.turn_limit=10", "selfplay.workers=1", "data.games_per_shard=1"},
	}
	if err := first.run(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*flags){
		"was begun with the seed 3, and now it is 4": func(f *flags) { f.Seed = 4 },
		"was begun with the network ":                func(f *flags) { f.Network = networkOf(t, 2) },
		"was begun with the settings ":               func(f *flags) { f.Set = append(f.Set, "selfplay.visits.final=7") },
	} {
		for _, games := range []uint64{1, 2, 3} {
			f := first
			f.Set, f.Games = slices.Clone(f.Set), games
			change(&f)
			if err := f.run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "choose another --out") {
				t.Errorf("for %d games: got %v, want %q", games, err, want)
			}
		}
	}
	var out strings.Builder
	if err := first.run(t.Context(), &out); err != nil || out.String() != first.Out+" already has 2 games; raise --games to play more\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	out.Reset()
	first.Network, first.Games, first.Set[1] = network(t), 3, "selfplay.workers=2"
	if err := first.run(t.Context(), &out); err != nil || !strings.Contains(out.String(), " holds 3 games ") {
		t.Errorf("%v, %q", err, out.String())
	}
}

// A network that is not there leaves no directory behind, and the bundled one always is.
func TestNetworkInTheBox(t *testing.T) {
	f := flags{Network: "none.safetensors", Games: 1, Seed: 1, Out: filepath.Join(t.TempDir(), "games"), Config: "smoke",
		Set: []string{"selfplay.turn_limit=1", "selfplay.visits.final=2", "selfplay.fast_visits=2"}}
	if err := f.run(t.Context(), io.Discard); err == nil {
		t.Error("it plays without a network")
	}
	if _, err := os.Stat(f.Out); err == nil {
		t.Error("a directory was made")
	}
	f.Network = bundled.Name
	var out strings.Builder
	if err := f.run(t.Context(), &out); err != nil || !strings.Contains(out.String(), " holds 1 game with ") {
		t.Errorf("%v, %q", err, out.String())
	}
}

func TestBadInput(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("this is no network"), 0o666); err != nil {
		t.Fatal(err)
	}
	run, busy := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(run, "learner"), 0o777); err != nil {
		t.Fatal(err)
	}
	lock, err := claim(busy)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	creds, spool := credential(t), filepath.Join(t.TempDir(), "spool")
	missing := filepath.Join(t.TempDir(), "none.safetensors")
	for want, f := range map[string]flags{
		"go together":                  {Config: "smoke", Games: usualGames, Seed: usualSeed, Connect: "nats://127.0.0.1:1", Spool: spool},
		"none.creds":                   {Config: "smoke", Games: usualGames, Seed: usualSeed, Connect: "nats://127.0.0.1:1", Spool: spool, Creds: filepath.Join(run, "none.creds")},
		"--creds " + text + ": wrong":  {Config: "smoke", Games: usualGames, Seed: usualSeed, Connect: "nats://127.0.0.1:1", Spool: spool, Creds: text},
		"is no address of":             {Config: "smoke", Games: usualGames, Seed: usualSeed, Connect: "desktop:4222", Spool: spool, Creds: creds},
		"--metrics nowhere":            {Config: "smoke", Games: usualGames, Seed: usualSeed, Connect: "nats://127.0.0.1:1", Spool: spool, Creds: creds, Metrics: "nowhere"},
		"leave out --games and --seed": {Config: "smoke", Games: 50, Seed: usualSeed, Connect: "nats://127.0.0.1:1", Spool: spool, Creds: creds},
		"stopped, with the seed":       {Config: "smoke", Games: usualGames, Seed: 7, Connect: "nats://127.0.0.1:1", Spool: spool, Creds: creds},
		"belongs to the run":           {Network: network(t), Out: filepath.Join(run, "games"), Config: "smoke", Games: 1},
		"another process":              {Network: network(t), Out: busy, Config: "smoke", Games: 1},
		missing:                        {Network: missing, Out: t.TempDir(), Config: "smoke"},
		text:                           {Network: text, Out: t.TempDir(), Config: "smoke"},
		"selfplay.visits":              {Network: text, Out: t.TempDir(), Config: "smoke", Set: []string{"selfplay.visits.final=0"}},
		"--spool":                      {Network: network(t), Out: t.TempDir(), Config: "smoke", Games: 1, Spool: t.TempDir()},
		"directory":                    {Network: network(t), Out: filepath.Join(text, "x"), Config: "smoke"},
	} {
		if err := f.run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
	if _, err := os.Stat(spool); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a spool was made: %v", err)
	}
}

// stopper stops when something is written.
type stopper struct{ stop func() }

func (s stopper) Write(p []byte) (int, error) { s.stop(); return len(p), nil }

// Ctrl-C is no success, and is answered, unless all games are there.
func TestStopped(t *testing.T) {
	creds := credential(t)
	f := flags{Network: network(t), Config: "smoke", Set: []string{"selfplay.turn_limit=10"}, Games: 1, Seed: usualSeed, Out: t.TempDir()}
	status, err := os.Create(filepath.Join(t.TempDir(), "status"))
	if err != nil {
		t.Fatal(err)
	}
	defer status.Close()
	defer func(was *os.File) { os.Stderr = was }(os.Stderr)
	os.Stderr = status
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for n, f := range []flags{f, {Config: "smoke", Games: usualGames, Seed: usualSeed, Connect: "nats://127.0.0.1:1", Spool: t.TempDir(), Creds: creds}} {
		if err := f.run(ctx, io.Discard); !errors.Is(err, console.ErrStopped) {
			t.Errorf("%+v: %v", f, err)
		}
		if said, err := os.ReadFile(status.Name()); err != nil || strings.Count(string(said), "To continue") != n+1 {
			t.Errorf("%+v: %v, it said %q", f, err, said)
		}
	}
	ctx, stop = context.WithCancel(t.Context())
	if err := f.run(ctx, stopper{stop}); err != nil || ctx.Err() == nil {
		t.Errorf("with all games: %v", err)
	}
}

// credential returns the path of a worker's credential.
func credential(t *testing.T) string {
	t.Helper()
	keys, err := hub.OpenKeys(filepath.Join(t.TempDir(), "hub"))
	if err != nil {
		t.Fatal(err)
	}
	content, err := keys.Add("a", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.creds")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every credential has a directory for its games, and has it again.
func TestSpoolOfACredential(t *testing.T) {
	f := flags{Spool: t.TempDir()}
	dirs := map[string]string{}
	for _, creds := range []string{"one", "another", "one"} {
		dir, err := f.spool([]byte(creds))
		if before, ok := dirs[creds]; err != nil || ok && dir != before || filepath.Dir(dir) != f.Spool {
			t.Errorf("%s: %s, %v", creds, dir, err)
		}
		dirs[creds] = dir
	}
	if dirs["one"] == dirs["another"] {
		t.Error("two credentials share a directory")
	}
}
