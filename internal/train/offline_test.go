package train

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/data"
	"warren/data/replay"
	"warren/game"
	"warren/internal/learn"
	"warren/internal/metrics"
	"warren/internal/recipe"
	"warren/net"
)

// points is a sink that keeps the points and ends a context after a number of them.
type points struct {
	list   []metrics.Point
	left   int
	cancel context.CancelFunc
}

func (s *points) Write(p metrics.Point) error {
	s.list = append(s.list, p)
	if s.left--; s.left == 0 && s.cancel != nil {
		s.cancel()
	}
	return nil
}

func (s *points) Close() error { return nil }

// recorded returns the games of a directory.
func recorded(t *testing.T, path string, c replay.Config) *Recorded {
	t.Helper()
	games, err := FindRecorded([]string{path}, false, c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := games.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	return games
}

// offline trains a network on the games and returns it with its training, which is closed.
func offline(t *testing.T, ctx context.Context, c recipe.Config, games *Recorded, from *net.Network, steps int64, series metrics.Sink) (*net.Network, *Offline) {
	t.Helper()
	const want = "hash"
	o, err := NewOffline(c, games, from, want, steps, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	saves := 0
	if err := o.Train(ctx, series, func() error { saves++; return nil }); err != nil {
		t.Fatal(err)
	}
	if o.Steps() == int64(steps) && int64(saves) != min(measurements, steps) {
		t.Errorf("the network was saved %d times in %d steps", saves, steps)
	}
	path := filepath.Join(t.TempDir(), "network.safetensors")
	if err := o.Save(path, "larger"); err != nil {
		t.Fatal(err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	n, meta, err := net.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if oldest, ok := games.Lowest(); !ok || meta["first_game"] != fmt.Sprint(oldest) {
		t.Errorf("the network says that its first game is %s, want %d", meta["first_game"], oldest)
	}
	if meta["from"] != want {
		t.Errorf("the network says that it began as %q, want %q", meta["from"], want)
	}
	if meta["run"] != "larger" || meta["games_of"] != games.runs || meta["settings"] == "" {
		t.Errorf("the network's metadata is %v", meta)
	}
	return n, o
}

// pursuit is the record of a game in which one side advances its rabbits wherever it can, and the other one
// plays at random. The policy target is the first legal action. So there is something to learn: who
// has advanced wins.
func pursuit(seed uint64) *data.Record {
	rng := rand.New(rand.NewPCG(seed, 2))
	r := &data.Record{Run: "pursuit", Game: seed}
	g := game.New()
	for legal := g.Legal(nil); len(legal) > 0; legal = g.Legal(legal[:0]) {
		d := data.Decision{Action: legal[rng.IntN(len(legal))]}
		if !g.InSetup() {
			d.Value, d.PolicyWeight, d.ValueWeight = 0.5, 1, 1
			d.Visits = []data.Visit{{Action: legal[0], Count: 3}}
		}
		if side := g.Side(); side == game.Color(seed%2) {
			best, _ := advancement(g.Board(), side)
			for _, a := range legal {
				before := g.Mark()
				g.Play(a)
				if sum, _ := advancement(g.Board(), side); sum > best {
					best, d.Action = sum, a
				}
				g.Restore(before)
			}
		}
		r.Decisions = append(r.Decisions, d)
		g.Play(d.Action)
	}
	r.Result, r.Turns = g.Result(), int32(g.Turns())
	return r
}

// pursuits writes n such games to a directory of shards.
func pursuits(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var records []*data.Record
	for seed := range uint64(n) {
		records = append(records, pursuit(seed))
	}
	if _, err := data.WriteShard(dir, 1, records); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRateFollowsTheSteps: with a schedule, the learning rate falls in training on recorded
// games too.
func TestRateFollowsTheSteps(t *testing.T) {
	t.Parallel()
	const steps = 12
	c := tiny(recipe.Sync)
	cosine(&c.Learner.Rate)
	o, err := NewOffline(c, recorded(t, pursuits(t, 10), c.Data), nil, "", steps, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r := &rated{Trainer: o.learner.Trainer}
	o.learner.Trainer = r
	if err := o.Train(t.Context(), new(points), func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	r.fall(t, steps, 0)
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
}

// weighed is a trainer that keeps the weights of the values that it learns from and of those that it measures.
type weighed struct {
	learn.Trainer
	learned, measured []float32
}

func (w *weighed) Step(b *learn.Batch, rate float64) (learn.Losses, error) {
	w.learned = append(w.learned, b.Targets[1].Weight...)
	return w.Trainer.Step(b, rate)
}

func (w *weighed) Measure(b *learn.Batch) (learn.Losses, error) {
	w.measured = append(w.measured, b.Targets[1].Weight...)
	return w.Trainer.Measure(b)
}

// TestHeldOutGamesAreOnlyMeasured: the network learns from the training games, and is measured on the others.
func TestHeldOutGamesAreOnlyMeasured(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	dir := t.TempDir()
	var records []*data.Record
	for seed := range uint64(8) {
		r := pursuit(seed)
		for i := range r.Decisions {
			if d := &r.Decisions[i]; replay.HeldOut(seed, c.Data.HeldOutFraction) {
				d.ValueWeight *= 0.5
			}
		}
		records = append(records, r)
	}
	if _, err := data.WriteShard(dir, 1, records); err != nil {
		t.Fatal(err)
	}
	o, err := NewOffline(c, recorded(t, dir, c.Data), nil, "", 2, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	w := &weighed{Trainer: o.learner.Trainer}
	o.learner.Trainer = w
	if err := o.Train(t.Context(), new(points), func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		got  []float32
		want float32
	}{"learned": {w.learned, 1}, "measured": {w.measured, 0.5}} {
		if len(c.got) == 0 || slices.ContainsFunc(c.got, func(weight float32) bool { return weight != c.want }) {
			t.Errorf("values %s have the weights %g, want %g", what, c.got, c.want)
		}
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
}

// A network learns from games that are only read: its losses fall, it is measured at the beginning and at
// six points, and beside it stand the pieces and the search. The same seed gives the same network, another
// seed another one.
func TestLearningFromRecordedGames(t *testing.T) {
	t.Parallel()
	dir := pursuits(t, 40)
	c := tiny(recipe.Sync)
	c.Data.WindowPositions, c.Data.QRatio = 100_000, 0
	c.Learner.Rate.WarmUp, c.Learner.Rate.Initial = 0, 0.003
	c.Learner.Batch, c.Network.ValueChannels, c.Network.ValueHidden = 32, 4, 16
	games := recorded(t, dir, c.Data)
	if n := games.Train.Games() + games.HeldOut.Games(); n != 40 || games.HeldOut.Games() < 4 {
		t.Fatalf("%d games, %d of them held out", n, games.HeldOut.Games())
	}
	var series points
	first, o := offline(t, t.Context(), c, games, nil, 150, &series)
	if len(series.list) != 1+measurements || series.list[6].Step != 150 {
		t.Fatalf("the points are %v", series.list)
	}
	begin, end := series.list[0], series.list[6]
	for _, name := range []string{"held_out/policy", "outcome/value"} {
		before, ok := begin.Value(name)
		after, also := end.Value(name)
		if !ok || !also || !(after < before) {
			t.Errorf("%s goes from %v to %v", name, before, after)
		}
	}
	before, _ := series.list[1].Value("loss/policy")
	if after, _ := end.Value("loss/policy"); !(after < before) {
		t.Errorf("the training loss of the policy goes from %v to %v", before, after)
	}
	if w := o.losses[0].Weight; !(w <= 25*32) { // the samples since the measurement before
		t.Errorf("the last training losses are a mean of the weight %g", w)
	}
	list, n, positions := o.Forecasts()
	var table strings.Builder
	WriteForecasts(&table, list)
	t.Logf("%d positions of %d games\n%s", positions, n, table.String())
	if n == 0 || positions == 0 || len(list) != 2+1+measurements || list[0].By != "pieces" || list[1].By != "search" || list[8].By != "step 150" {
		t.Fatalf("on %d positions of %d games the forecasts are %v", positions, n, list)
	}
	if !(list[0].All < math.Ln2) {
		t.Errorf("games that the side that has advanced wins are not predicted by the pieces: %v", list[0])
	}
	if worth := o.PieceWorth(); len(worth) != game.NumKinds {
		t.Errorf("the pieces are worth %v", worth)
	}
	if loss, ok := begin.Value("outcome/pieces"); !ok || loss != list[0].All {
		t.Errorf("the first point has the loss %v of the pieces, and the table %v", loss, list[0].All)
	}
	if done := o.Status(); done.Done != 150 || done.Total != 150 {
		t.Errorf("the status at the end is %+v", done)
	}

	again, _ := offline(t, t.Context(), c, games, nil, 150, &points{})
	c.Seed++
	other, _ := offline(t, t.Context(), c, games, nil, 150, &points{})
	if again.Hash() != first.Hash() || other.Hash() == first.Hash() {
		t.Errorf("the network is %.8s, with the same seed %.8s, with another %.8s", first.Hash(), again.Hash(), other.Hash())
	}
}

// TestFirstGameIsInTheWindows: a network names the oldest game in its windows, not the oldest that there is.
func TestFirstGameIsInTheWindows(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	c.Data.WindowPositions = 1000
	games := recorded(t, pursuits(t, 24), c.Data)
	if oldest, _ := games.Lowest(); oldest == 0 {
		t.Fatal("all games are in the windows")
	}
	offline(t, t.Context(), c, games, nil, 1, &points{}) // looks at the number
}

// A stopped training keeps the network that it has. Another one continues from it.
func TestStoppedLearningKeepsItsNetwork(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	games := recorded(t, pursuits(t, 8), c.Data)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	series := points{left: 3, cancel: cancel} // at step 4 of 12
	stopped, o := offline(t, ctx, c, games, nil, 12, &series)
	if o.Steps() != 4 {
		t.Errorf("it stopped after %d steps, want 4", o.Steps())
	}
	first, _ := series.list[2].Value("outcome/value")
	series = points{}
	offline(t, t.Context(), c, games, stopped, 6, &series)
	if next, _ := series.list[0].Value("outcome/value"); next != first {
		t.Errorf("the network had the loss %v, and continuing from it begins with %v", first, next)
	}
}

// The games of a run are those that the run learns from, without the discarded ones.
func TestRecordedGamesOfARun(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "games") // a run may have that name
	c := tiny(recipe.Sync)
	c.Data.WindowPositions = 100_000
	work(t, path, c, -1)
	d := &Dir{path: path}
	index, err := data.Scan(d.games(), nil)
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(games *Recorded) (list []uint64) {
		for _, w := range []*replay.Window{games.Train, games.HeldOut} {
			for p := range w.All() {
				if len(list) == 0 || list[len(list)-1] != p.Number {
					list = append(list, p.Number)
				}
			}
		}
		return list
	}
	if all := numbers(recorded(t, path, c.Data)); len(all) != index.Games {
		t.Errorf("%d of %d games are read", len(all), index.Games)
	}
	s := &Store{dir: d}
	if err := s.Discard([]data.Range{{First: 0, Count: 6}, {First: 9, Count: 1}}); err != nil {
		t.Fatal(err)
	}
	others := filepath.Join(path, "others") // not known to be this run's
	if err := os.CopyFS(others, os.DirFS(d.games())); err != nil {
		t.Fatal(err)
	}
	if all := numbers(recorded(t, others, c.Data)); len(all) != index.Games {
		t.Errorf("%d of %d games are read where no list is", len(all), index.Games)
	}
	for _, from := range []string{path, d.games()} {
		seen := map[uint64]bool{}
		for _, n := range numbers(recorded(t, from, c.Data)) {
			seen[n] = true
		}
		if len(seen) != index.Games-7 || seen[5] || !seen[6] || seen[9] || !seen[11] {
			t.Errorf("of all games of %s but 0 to 5 and 9 these are read: %v", from, seen)
		}
	}

	before, err := ReadSettings(path, []string{"learner.batch=8"})
	if err != nil || before.Learner.Batch != 8 || before.Network != c.Network {
		t.Errorf("the settings of the run are %+v, %v", before, err)
	}
}

// The progress of reading comes to its end, about, where only some of the games are read.
func TestReadingComesToItsEnd(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	c.Data.WindowPositions = 100_000
	part := pursuits(t, 24)
	s := &Store{dir: &Dir{path: part}}
	if err := s.Discard([]data.Range{{First: 0, Count: 6}, {First: 18, Count: 6}}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pursuits(t, 8), part} {
		if s := recorded(t, path, c.Data).Reading(); s.Total == 0 || s.Done < 0.7*s.Total || s.Done > 1.4*s.Total {
			t.Errorf("at the end of reading, %g of %g positions are read", s.Done, s.Total)
		}
	}
}

func TestGamesThatCannotBeLearnedFrom(t *testing.T) {
	t.Parallel()
	dir := pursuits(t, 3)
	c := tiny(recipe.Sync)
	log := slog.New(slog.DiscardHandler)
	find := func(path string) error {
		_, err := FindRecorded([]string{path}, false, c.Data, log)
		return err
	}
	large := c
	large.Learner.Batch, large.Data.WindowPositions = 60_000, 100_000
	_, few := NewOffline(large, recorded(t, dir, c.Data), nil, "", 1, slog.New(slog.DiscardHandler))
	_, settings := ReadSettings(dir, nil)
	_, unknown := ReadSettings(filepath.Join(dir, "none"), nil)
	_, file := ReadSettings(filepath.Join(dir, nameFile), nil)
	for want, err := range map[string]error{
		"there is no run":                                 find(filepath.Join(dir, "none")),
		"there are no games":                              find(t.TempDir()),
		"fewer than one minibatch":                        few,
		"name a preset or a file with":                    settings,
		"there is no run " + dir:                          unknown,
		"there is no run " + filepath.Join(dir, nameFile): file,
	} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
}

// TestSettingsThatCannotBeRead: what cannot be read is not said to be missing.
func TestSettingsThatCannotBeRead(t *testing.T) {
	path := t.TempDir()
	if err := os.Symlink("config.yaml", filepath.Join(path, "config.yaml")); err != nil {
		t.Skip(err)
	}
	if _, err := ReadSettings(path, nil); err == nil || !strings.Contains(err.Error(), "mend the file") {
		t.Errorf("the error is %v, want one of settings that cannot be read", err)
	}
}
