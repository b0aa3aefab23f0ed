package replay

import (
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"warren/data"
	"warren/data/datatest"
	"warren/game"
)

// fakeRecord returns a record with n positions that is not a real game, for tests that never replay
// it. Variants have different hashes.
func fakeRecord(number uint64, variant, n int) *data.Record {
	r := &data.Record{Game: number, Generation: int32(variant), Decisions: make([]data.Decision, n+1),
		Result: game.Result{Winner: game.Gold, Reason: game.Resignation}}
	for i := range n {
		r.Decisions[i+1] = data.Decision{Visits: []data.Visit{{Action: 0, Count: 1}}, ValueWeight: 1}
	}
	return r
}

func (w *Window) keys() (keys []key) {
	for _, p := range w.games {
		keys = append(keys, p.key)
	}
	return keys
}

// Whatever the order in which records come and however often, the window holds the newest that fit,
// without a gap, and counts their positions. A record counts with its highest arrival number.
func TestWindowHoldsTheNewestGames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bound := rapid.IntRange(1, 60).Draw(rt, "bound")
		w := NewWindow(bound, outcomes())
		sizes, newest := map[data.Hash]int{}, map[data.Hash]key{}
		for range rapid.IntRange(1, 40).Draw(rt, "added") {
			arrival, number := rapid.Uint64Range(0, 4).Draw(rt, "arrival"), rapid.Uint64Range(0, 15).Draw(rt, "game")
			variant := rapid.IntRange(0, 1).Draw(rt, "variant")
			// The size need not be compared: identical records have equal sizes.
			n := int(number*7+uint64(variant)*3) % 25
			r := fakeRecord(number, variant, n)
			hash := r.Hash()
			inside := func() bool {
				return slices.ContainsFunc(w.keys(), func(k key) bool { return k.hash == hash })
			}
			was := inside()
			added := w.Add(arrival, r)
			if k := (key{arrival, number, hash}); n > 0 && (sizes[hash] == 0 || newest[hash].compare(k) < 0) {
				sizes[hash], newest[hash] = n, k
			}
			if is := inside(); added != (is && !was) {
				rt.Fatalf("Add says %v; in the window before %v, after %v", added, was, is)
			}

			all := slices.SortedFunc(maps.Values(newest), key.compare)
			from, positions := len(all), 0
			for from > 0 && (positions+sizes[all[from-1].hash] <= bound || from == len(all)) {
				from--
				positions += sizes[all[from].hash]
			}
			if got, want := w.keys(), all[from:]; !slices.Equal(got, want) {
				rt.Fatalf("window of %d positions holds %v, want %v", bound, got, want)
			}
			if w.Positions() != positions || w.Games() != len(all)-from || len(w.held) != w.Games() {
				rt.Fatalf("window counts %d positions in %d games, want %d in %d", w.Positions(), w.Games(), positions, len(all)-from)
			}
			for i, p := range w.games {
				if end := w.ends[i] - w.base; i == 0 && end != sizes[p.key.hash] {
					rt.Fatalf("first game ends at %d, want %d", end, sizes[p.key.hash])
				}
			}
		}
		// Every position is found once, in order.
		next := 0
		for _, p := range w.games {
			for i := range p.plies {
				if q, j := w.at(next); q != p || j != i {
					rt.Fatalf("position %d is number %d of game %v, want number %d of %v", next, j, q.key.number, i, p.key.number)
				}
				next++
			}
		}
	})
}

// A game that arrives long after others with higher numbers is as new as its arrival.
func TestLateGamesAreKept(t *testing.T) {
	w := NewWindow(60, outcomes())
	for i := range uint64(20) {
		w.Add(i, fakeRecord(1000+i, 0, 10))
	}
	if !w.Add(20, fakeRecord(3, 0, 10)) {
		t.Error("the late game was refused")
	}
	if k := w.keys(); len(k) != 6 || k[5].number != 3 {
		t.Errorf("window holds %v", k)
	}
	if w.Add(13, fakeRecord(2000, 0, 10)) {
		t.Error("a game that arrived before those that have left was added")
	}
}

// Pearson's chi-square test of 200,000 draws against a uniform distribution over positions,
// after evictions.
func TestSamplingIsUniform(t *testing.T) {
	w := NewWindow(500, outcomes())
	for i := range 40 {
		w.Add(0, fakeRecord(uint64(i), 0, 1+i*13%50))
	}
	n := w.Positions()
	if n < 400 || n > 500 {
		t.Fatalf("window holds %d positions", n)
	}
	type position struct {
		p *packed
		i int
	}
	const draws = 200_000
	counts := map[position]int{}
	mirrored := 0
	samples := make([]Sample, 1000)
	rng := rand.New(rand.NewPCG(11, 5))
	for range draws / len(samples) {
		if err := w.Draw(rng, samples); err != nil {
			t.Fatal(err)
		}
		for _, s := range samples {
			counts[position{s.source, s.index}]++
			if s.Mirror {
				mirrored++
			}
		}
	}
	if len(counts) != n {
		t.Errorf("%d positions drawn of %d", len(counts), n)
	}
	expected := float64(draws) / float64(n)
	chi2 := 0.0
	for _, c := range counts {
		chi2 += (float64(c) - expected) * (float64(c) - expected) / expected
	}
	// Normal approximation: mean n-1, variance 2(n-1); 4 standard deviations.
	if df := float64(n - 1); math.Abs(chi2-df) > 4*math.Sqrt(2*df) {
		t.Errorf("chi-square is %.0f with %.0f degrees of freedom", chi2, df)
	}
	if math.Abs(float64(mirrored)-draws/2) > 4*math.Sqrt(draws/4) {
		t.Errorf("%d of %d draws are mirrored", mirrored, draws)
	}
}

// Every sample is a decision of a game in the window, with the state before it.
func TestSampleIsWhatWasRecorded(t *testing.T) {
	const weight = 0.25
	w := NewWindow(1_000_000, Config{QRatio: weight, LimitValue: 1})
	type target struct {
		d       data.Decision
		outcome float64
	}
	// Several games pass through some of the states.
	want := map[uint64][]target{}
	for _, r := range append(datatest.Records(0, 4, 0), datatest.Records(4, 6, 70)...) {
		if !w.Add(0, r) {
			t.Fatalf("game %d was not added", r.Game)
		}
		g := game.New()
		for _, d := range r.Decisions {
			outcome := 0.0
			switch {
			case r.Result.Reason == game.Ongoing:
				outcome = 0.5
			case r.Result.Winner == g.Side():
				outcome = 1
			}
			if len(d.Visits) > 0 {
				want[g.Hash()] = append(want[g.Hash()], target{d, outcome})
			}
			g.Play(d.Action)
		}
	}
	rng := rand.New(rand.NewPCG(2, 2))
	samples := make([]Sample, 64)
	drawn, mirrored, setups := 0, 0, 0
	for range 60 {
		if err := w.Sample(rng, samples); err != nil {
			t.Fatal(err)
		}
		for _, s := range samples {
			ok := slices.ContainsFunc(want[s.Game.Hash()], func(v target) bool {
				if v.d.Drawn() { // and so its target is not in the record
					v.d.Policy = w.setupPolicy().target(s.Game, nil)
				}
				return matches(&s, v.d, v.outcome, weight)
			})
			if !ok {
				t.Fatalf("a sample at turn %d is no recorded decision: %+v", s.Game.Turns(), s)
			}
			drawn++
			if s.Game.InSetup() {
				setups++
				if s.Mirror {
					t.Fatal("a setup position is mirrored")
				}
			} else if s.Mirror {
				mirrored++
			}
		}
	}
	if share := float64(mirrored) / float64(drawn-setups); setups == 0 || math.Abs(share-0.5) > 0.05 {
		t.Errorf("of %d samples %d are setups; of the rest %.2f are mirrored", drawn, setups, share)
	}
}

func TestValueTarget(t *testing.T) {
	target := valueTarget{rootWeight: 0.5, limit: 0.75}
	for _, c := range []struct {
		result game.Result
		side   game.Color
		root   float32
		want   float32
	}{
		{game.Result{Winner: game.Gold, Reason: game.Goal}, game.Gold, 0.5, 0.75},
		{game.Result{Winner: game.Gold, Reason: game.Goal}, game.Silver, 0.5, 0.25},
		{game.Result{Winner: game.Silver, Reason: game.TurnLimit}, game.Silver, 0.25, 0.5},
		{game.Result{Winner: game.Silver, Reason: game.TurnLimit}, game.Gold, 0.25, 0.25},
	} {
		if got := target.of(&packed{result: c.result}, c.side, c.root); got != c.want {
			t.Errorf("%+v with root value %g teaches %v %g, want %g", c.result, c.root, c.side, got, c.want)
		}
	}
}

// A game without a result teaches its policies, but no values.
func TestGamesWithoutAResult(t *testing.T) {
	r := datatest.Record(1, 200)
	r.Result = game.Result{}
	policies := 0
	for i := range r.Decisions {
		if r.Decisions[i].PolicyWeight > 0 {
			policies++
		}
	}
	if policies == 0 || policies == r.Positions() {
		t.Fatalf("%d of %d positions of the game teach a policy", policies, r.Positions())
	}
	w := NewWindow(1000, outcomes())
	w.Add(1, r)
	if w.Positions() != policies {
		t.Errorf("%d positions, want %d", w.Positions(), policies)
	}
	samples := make([]Sample, 50)
	if err := w.Sample(rand.New(rand.NewPCG(1, 1)), samples); err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		if s.ValueWeight != 0 || s.PolicyWeight == 0 {
			t.Fatalf("a sample with the weights %g for its policy and %g for its value", s.PolicyWeight, s.ValueWeight)
		}
	}
}

func matches(s *Sample, d data.Decision, outcome, weight float64) bool {
	if math.Abs(float64(s.Value)-((1-weight)*outcome+weight*float64(d.Value))) > 1e-6 ||
		s.PolicyWeight != d.PolicyWeight || s.ValueWeight != d.ValueWeight {
		return false
	}
	want := d.Policy
	if want == nil {
		total := 0.0
		for _, v := range d.Visits {
			total += float64(v.Count)
		}
		for _, v := range d.Visits {
			want = append(want, data.Share{Action: v.Action, Share: float32(float64(v.Count) / total)})
		}
	}
	sum := 0.0
	for _, p := range s.Policy {
		sum += float64(p.Share)
	}
	return slices.Equal(s.Policy, want) && math.Abs(sum-1) < 1e-5
}

func TestSampleEmpty(t *testing.T) {
	w := NewWindow(100, outcomes())
	unsearched := datatest.Record(1, 1)
	if w.Add(0, unsearched) {
		t.Error("a game without positions was added")
	}
	if err := w.Sample(rand.New(rand.NewPCG(1, 1)), make([]Sample, 1)); err != ErrEmpty {
		t.Errorf("error is %v, want ErrEmpty", err)
	}
}

func TestSampleDoesNotAllocate(t *testing.T) {
	w := NewWindow(1_000_000, outcomes())
	for _, r := range datatest.Records(0, 3, 0) {
		w.Add(0, r)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	samples := make([]Sample, 8)
	// Enough rounds for every sample's memory to reach its final size.
	for range 300 {
		w.Sample(rng, samples)
	}
	if n := testing.AllocsPerRun(20, func() { w.Sample(rng, samples) }); n > 0.1 {
		t.Errorf("%v allocations a round", n)
	}
}

// Games are added while samples are drawn. The test is most useful under the race detector.
func TestAddWhileSampling(t *testing.T) {
	w := NewWindow(300, outcomes())
	records := datatest.Records(0, 60, 45)
	w.Add(0, records[0])
	var adding sync.WaitGroup
	for half := range slices.Chunk(records, 30) {
		adding.Go(func() {
			for _, r := range half {
				w.Add(0, r)
			}
		})
	}
	rng := rand.New(rand.NewPCG(1, 1))
	samples := make([]Sample, 16)
	for range 50 {
		if err := w.Sample(rng, samples); err != nil {
			t.Fatal(err)
		}
		for _, s := range samples {
			if len(s.Policy) == 0 || s.Game.Result().Over() {
				t.Fatalf("sample %+v", s)
			}
		}
	}
	adding.Wait()
	// 6 games of 44 positions fit, and the newest are there whichever goroutine was faster.
	if got := w.keys(); len(got) != 6 || got[0].number != 54 {
		t.Errorf("window holds %v", got)
	}
}

func TestHeldOutIsEven(t *testing.T) {
	for _, fraction := range []float64{0, 0.01, 0.05, 0.25, 0.5} {
		count, last, longest := 0, -1, 0
		const games = 100_000
		odd := 0
		for i := range games {
			if HeldOut(uint64(i), fraction) {
				count++
				odd += i % 2
				longest = max(longest, i-last)
				last = i
			}
		}
		if math.Abs(float64(count)-fraction*games) > 3 || fraction == 0 && count > 0 {
			t.Errorf("fraction %v: %d of %d games", fraction, count, games)
		}
		if fraction > 0 && (float64(longest) > 3/fraction || math.Abs(float64(odd)/float64(count)-0.5) > 0.05) {
			t.Errorf("fraction %v: gaps up to %d, %d of %d with odd numbers", fraction, longest, odd, count)
		}
	}
}

// arrive writes a shard.
func arrive(t *testing.T, dir string, arrival uint64, records []*data.Record) {
	t.Helper()
	if _, err := data.WriteShard(dir, arrival, records); err != nil {
		t.Fatal(err)
	}
}

// After a restart the windows and the samples are those of an uninterrupted run, whether shards are
// numbered as they arrive or not.
func TestRestoreIsTheUninterruptedReplay(t *testing.T) {
	for name, byNumber := range map[string]bool{"by arrival": false, "by number": true} {
		t.Run(name, func(t *testing.T) { testRestore(t, byNumber) })
	}
}

func testRestore(t *testing.T, byNumber bool) {
	c := Config{WindowPositions: 700, HeldOutFraction: 0.2}
	records := datatest.Records(0, 60, 45)
	rng := rand.New(rand.NewPCG(4, 4))
	rng.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	// Some games arrive twice, the second time in another shard.
	records = append(records, records[20:25]...)

	dir := t.TempDir()
	live := NewWindows(c)
	arrival := uint64(0)
	for shard := range slices.Chunk(records, 7) {
		if !byNumber {
			arrival++
		}
		for _, r := range shard {
			live.Add(arrival, r)
		}
		arrive(t, dir, arrival, shard)
	}
	x, err := data.Scan(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	restored := NewWindows(c)
	if err := restored.Restore(Source{Index: x}); err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string][2]*Window{"training": {live.Train, restored.Train}, "held-out": {live.HeldOut, restored.HeldOut}} {
		a, b := w[0], w[1]
		if !slices.Equal(a.keys(), b.keys()) || len(a.keys()) == 0 {
			t.Fatalf("%s window: live %v, restored %v", name, a.keys(), b.keys())
		}
		if !a.anyGone || a.gone != b.gone {
			t.Errorf("%s window: last to leave was %v, restored %v", name, a.gone.number, b.gone.number)
		}
		one, two := make([]Sample, 50), make([]Sample, 50)
		a.Sample(rand.New(rand.NewPCG(6, 6)), one)
		b.Sample(rand.New(rand.NewPCG(6, 6)), two)
		for i := range one {
			if one[i].Game.Hash() != two[i].Game.Hash() || one[i].Mirror != two[i].Mirror || one[i].Value != two[i].Value ||
				!reflect.DeepEqual(one[i].Policy, two[i].Policy) {
				t.Fatalf("%s window: sample %d differs", name, i)
			}
		}
		for _, k := range a.keys() {
			if HeldOut(k.number, c.HeldOutFraction) != (name == "held-out") {
				t.Errorf("game %d is in the %s window", k.number, name)
			}
		}
	}
	if live.Train.Positions() > c.WindowPositions {
		t.Errorf("training window holds %d positions", live.Train.Positions())
	}
}

// Restoring does not read shards whose games would be refused. (Several readers are ahead of one
// another, so this is exact only with one.)
func TestRestoreReadsOnlyWhatIsNeeded(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	dir := t.TempDir()
	for i, first := range []uint64{40, 30, 20, 10, 0} { // in the order they arrive
		arrive(t, dir, uint64(i), datatest.Records(first, 10, 45))
	}
	x, err := data.Scan(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	x.Shards[0].Path = "missing"
	p := NewWindows(Config{WindowPositions: 500})
	if err := p.Restore(Source{Index: x}); err != nil {
		t.Errorf("an old shard was read: %v", err)
	}
	x.Shards[4].Path = "missing"
	if err := p.Restore(Source{Index: x}); err == nil {
		t.Error("the newest shard was not read")
	}
}

// Restoring reads on while only the training window is full: the held-out games may be in older shards.
func TestRestoreFindsOldHeldOutGames(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := Config{WindowPositions: 100, HeldOutFraction: 0.1}
	var held, others []*data.Record
	for number := range uint64(60) {
		if HeldOut(number, c.HeldOutFraction) {
			held = append(held, datatest.Record(number, 45))
		} else {
			others = append(others, datatest.Record(number, 45))
		}
	}
	dir := t.TempDir()
	arrive(t, dir, 1, append(held[:1], others[:1]...))
	for i := range uint64(8) {
		arrive(t, dir, 2+i, others[1+5*i:][:5])
	}
	x, err := data.Scan(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := NewWindows(c)
	if err := p.Restore(Source{Index: x}); err != nil {
		t.Fatal(err)
	}
	if k := p.HeldOut.keys(); len(k) != 1 || k[0].number != held[0].Game {
		t.Errorf("the held-out window has the games %v, want game %d", k, held[0].Game)
	}
	if n := p.Train.Games(); n == 0 || n > 10 {
		t.Errorf("the training window has %d games", n)
	}
}
