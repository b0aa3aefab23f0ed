package compare

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/data"
	"warren/game"
	"warren/internal/metrics"
	"warren/internal/nettest"
	"warren/net"
)

// run makes the directory of a run: games of random placements, and a network.
func run(t *testing.T, change func(games []*data.Record, n *net.Network)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run[1]") // not a pattern
	for _, sub := range []string{"games", "networks"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	var games []*data.Record
	for number := range uint64(3) {
		r := &data.Record{Run: filepath.Base(dir), Game: number, Network: "n"}
		g := game.New()
		for range 40 {
			legal := g.Legal(nil)
			a := legal[int(number)%len(legal)]
			r.Decisions = append(r.Decisions, data.Decision{Action: a, Value: 0.25, ValueWeight: 1, Visits: []data.Visit{{Action: a, Count: 3}}})
			g.Play(a)
		}
		r.Turns = int32(g.Turns())
		games = append(games, r)
	}
	n := nettest.New(t, net.Config{Blocks: 1, Channels: 8, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 1}, 1)
	if change != nil {
		change(games, n)
	}
	if _, err := data.WriteShard(filepath.Join(dir, "games"), 1, games); err != nil {
		t.Fatal(err)
	}
	nettest.Save(t, filepath.Join(dir, "networks", "gen-00001.safetensors"), n, nil)
	return dir
}

func TestCompare(t *testing.T) {
	base := run(t, nil)
	for want, change := range map[string]func([]*data.Record, *net.Network){
		"":                                    nil,
		"game 1: decision 7 has other visits": func(g []*data.Record, _ *net.Network) { g[1].Decisions[7].Visits[0].Count++ },
		"decision 3 has the value 0.25 and the va": func(g []*data.Record, _ *net.Network) { g[2].Decisions[3].Value = 0.5 },
		"decision 9 teaches something else":        func(g []*data.Record, _ *net.Network) { g[0].Decisions[9].PolicyWeight = 1 },
		"game 2: decision 3 teaches something else": func(g []*data.Record, _ *net.Network) {
			d := &g[2].Decisions[3]
			d.Policy = []data.Share{{Action: d.Action, Share: 1}}
		},
		"game 0: played by generation 0 (n) and generation 4 (n)": func(g []*data.Record, _ *net.Network) { g[0].Generation = 4 },
		"game 9 is not in": func(g []*data.Record, _ *net.Network) { g[2].Game = 9 },
		"game 1: decision 39 is rb5s and rb7s": func(g []*data.Record, _ *net.Network) {
			d := g[1].Decisions
			legal := after(d[:39]).Legal(nil)
			d[39].Action = legal[(slices.Index(legal, d[39].Action)+1)%len(legal)]
		},
		"game 1: stopped after 2 turns and won by silver (resignation) after 2 turns": func(g []*data.Record, _ *net.Network) {
			g[1].Result = game.Result{Winner: game.Silver, Reason: game.Resignation}
		},
		"stem.weight[5] is": func(_ []*data.Record, n *net.Network) { n.Params[0].Data[5]++ },
		`networks with policy_channels 1 and 2, heads "" and "stopped reply"`: func(_ []*data.Record, n *net.Network) {
			*n = *nettest.New(t, net.Config{Blocks: 1, Channels: 8, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 1, Auxiliary: "stopped reply"}, 1)
		},
	} {
		f := flags{A: base, B: run(t, change)}
		var out strings.Builder
		err := f.run(t.Context(), &out)
		if different := change != nil; errors.Is(err, errDifferent) != different || !different && err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("want %q, got %v and\n%s", want, err, out.String())
		}
	}
}

func TestCompareRefusesWhatIsNoRun(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	alone := run(t, nil)
	if err := os.RemoveAll(filepath.Join(alone, "networks")); err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]flags{
		" has no games: name a run, or a dir":             {A: t.TempDir(), B: t.TempDir(), Games: true},
		"there is no directory ":                          {A: missing, B: missing, Games: true},
		"there are no networks in " + missing:             {A: missing, B: missing},
		filepath.Join(alone, "networks") + ": name the d": {A: alone, B: alone},
	} {
		if err := f.run(t.Context(), new(strings.Builder)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Networks are compared where games are left out, as how-to/move.md allows.
func TestRunWithoutGames(t *testing.T) {
	moved := run(t, nil)
	if err := os.RemoveAll(filepath.Join(moved, "games")); err != nil {
		t.Fatal(err)
	}
	other := run(t, func(_ []*data.Record, n *net.Network) { n.Params[0].Data[5]++ })
	for want, f := range map[error]flags{nil: {A: run(t, nil), B: moved}, errDifferent: {A: moved, B: other}} {
		out := new(strings.Builder)
		if err := f.run(t.Context(), out); err != want || !strings.HasSuffix(out.String(), "games: not compared, because a run has none\n") {
			t.Errorf("got %v and\n%s", err, out)
		}
	}
}

// The same games are the same in whatever shards they are, also where some came twice.
func TestShardsMayDiffer(t *testing.T) {
	var games []*data.Record
	a := run(t, func(g []*data.Record, _ *net.Network) { games = g })
	for i, some := range [][]*data.Record{{games[0], games[2]}, games[1:2]} {
		if _, err := data.WriteShard(filepath.Join(a, "games"), uint64(i), some); err != nil {
			t.Fatal(err)
		}
	}
	f, out := flags{A: a, B: run(t, nil)}, new(strings.Builder)
	if err := f.run(t.Context(), out); err != nil || !strings.Contains(out.String(), "games: 3 are the same") {
		t.Errorf("got %v and\n%s", err, out)
	}
}

// The directory that selfplay has filled has games alone.
func TestDirectoryOfGames(t *testing.T) {
	a := run(t, nil)
	f, out := flags{A: a, B: filepath.Join(a, "games"), Games: true}, new(strings.Builder)
	if err := f.run(t.Context(), out); err != nil || !strings.Contains(out.String(), "games: 3 are the same") {
		t.Errorf("got %v and\n%s", err, out)
	}
}

// Differences come in the order of the games.
func TestGamesAreInOrder(t *testing.T) {
	progress := metrics.NewProgress(io.Discard)
	defer progress.Close()
	a := run(t, func(g []*data.Record, _ *net.Network) { g[1].Game = 7 })
	b := run(t, func(g []*data.Record, _ *net.Network) { g[0].Game, g[1].Game, g[2].Game = 5000, 5, 0 })
	r, err := compareGames(t.Context(), a, b, progress)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, text := range append(r.differ.first, r.missing.first...) {
		order = append(order, strings.Fields(text)[1])
	}
	if got := strings.Join(order, " "); got != "0: 2 5 7 5000" {
		t.Errorf("the games are %s", got)
	}
}

// On a terminal the results are above the bar.
func TestResultsAreAboveTheBar(t *testing.T) {
	f, terminal := flags{A: run(t, nil), B: run(t, nil)}, new(strings.Builder)
	if err := f.compare(t.Context(), metrics.OnTerminal(terminal), terminal); err != nil {
		t.Fatal(err)
	}
	if before, _, found := strings.Cut(terminal.String(), "games: 3 are the same"); !found || !strings.Contains(before, "%") || !strings.HasSuffix(before, "\r") {
		t.Errorf("the terminal gets %q", terminal)
	}
}

// Of very many differences, the first are kept and shown, and the others counted.
func TestManyDifferences(t *testing.T) {
	r := &result{}
	for i := range 1000 {
		r.missing.add(fmt.Sprintf("game %d is not in b", i))
	}
	var out strings.Builder
	r.write(&out, "games", "decisions")
	if text := out.String(); len(r.missing.first) != shown || !strings.Contains(text, "1000 are in one run only\n  game 0 ") || !strings.HasSuffix(text, "  game 4 is not in b\n  and 995 more\n") {
		t.Errorf("%d descriptions are kept, and it says\n%s", len(r.missing.first), text)
	}
}
