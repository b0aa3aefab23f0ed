package replay

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/data"
	"warren/data/datatest"
	"warren/game"
)

// endings returns random games: some played to the end, and some stopped in each possible way.
func endings() map[uint64]*data.Record {
	records := map[uint64]*data.Record{}
	for _, r := range slices.Concat(datatest.Records(0, 4, 0), datatest.Records(4, 9, 90), datatest.Records(13, 3, 40)) {
		if end := replay(r, len(r.Decisions)); !end.Result().Over() {
			switch r.Game % 4 {
			case 1:
				r.Result = game.Result{Winner: end.ScoreWinner(), Reason: game.TurnLimit}
			case 2:
				r.Result = game.Result{}
			}
		}
		_, turns := history(r)
		for i := range r.Decisions {
			// Some decisions are not trained on, and in some games whole turns.
			if d := &r.Decisions[i]; i%5 == 2 || r.Game%3 == 0 && turns[i]%4 == 2 {
				d.PolicyWeight, d.ValueWeight = 0, 0
			}
			if d := &r.Decisions[i]; d.Drawn() { // by chance: its policy target is the window's
				d.Visits[0].Count = 2
			}
		}
		records[r.Game] = r
	}
	return records
}

// replay returns the state before decision n.
func replay(r *data.Record, n int) *game.Game {
	g := game.New()
	for _, d := range r.Decisions[:n] {
		g.Play(d.Action)
	}
	return g
}

// history returns, for each decision, the side and the number of turns completed before it, counting
// setups as turns. The last entry is the state after the game.
func history(r *data.Record) (sides []game.Color, turns []int) {
	g, turn := game.New(), 0
	for _, d := range r.Decisions {
		sides, turns = append(sides, g.Side()), append(turns, turn)
		g.Play(d.Action)
		if g.Side() != sides[len(sides)-1] {
			turn++
		}
	}
	return append(sides, g.Side()), append(turns, turn)
}

// Every target of every position agrees with its definition, computed from the record.
func TestTargets(t *testing.T) {
	const limit = 0.75
	records := endings()
	w := NewWindow(1_000_000, Config{LimitValue: limit})
	for _, r := range records {
		w.Add(0, r)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	samples := make([]Sample, 64)
	seen := map[string]int{}
	for range 25 {
		if err := w.Sample(rng, samples); err != nil {
			t.Fatal(err)
		}
		for i := range samples {
			s := &samples[i]
			r := records[s.source.key.number]
			at := int(s.source.plies[s.index])
			for name, want := range expected(r, at, limit) {
				target := FindTarget(name)
				got := make([]float32, target.Size)
				got[0] = 17 // the previous content must not matter
				weight := s.Target(target, got)
				if weight != want.weight {
					t.Fatalf("%s of decision %d of game %d (%v): weight %g, want %g", name, at, r.Game, r.Result, weight, want.weight)
				}
				if weight == 0 {
					continue
				}
				seen[name]++
				for j, v := range got {
					if !(math.Abs(float64(v-want.values[j])) <= 1e-6) && !(v != v && want.values[j] != want.values[j]) {
						t.Fatalf("%s of decision %d of game %d (%v): number %d is %g, want %g", name, at, r.Game, r.Result, j, v, want.values[j])
					}
				}
			}
		}
	}
	for _, target := range targets {
		if seen[target.Name] < 100 {
			t.Errorf("%s is known in %d samples", target.Name, seen[target.Name])
		}
	}
}

type lesson struct {
	values []float32
	weight float32
}

func expected(r *data.Record, at int, limit float32) map[string]lesson {
	sides, turns := history(r)
	d := r.Decisions[at]
	weight := max(d.PolicyWeight, d.ValueWeight)
	whole := replay(r, len(r.Decisions))
	over, last := whole.Result().Over(), len(r.Decisions)
	played := turns[last] - turns[at]
	all := map[string]lesson{}

	stops := lesson{make([]float32, 1), weight}
	if r.Result.Reason == game.Ongoing || r.Result.Reason == game.TurnLimit {
		stops.values[0] = 1
	}
	all["stopped"] = stops

	// Each piece is followed on its own.
	fates := lesson{values: make([]float32, 128)}
	for s := range game.Square(64) {
		fates.values[s], fates.values[64+s] = float32(math.NaN()), float32(math.NaN())
		g := replay(r, at)
		if _, _, ok := g.Board().At(s); !ok {
			continue
		}
		lost := -1
		place := s
		for i := at; i < last && lost < 0; i++ {
			if a := r.Decisions[i].Action; a.IsStep() && a.From() == place {
				place = a.To()
			}
			g.Play(r.Decisions[i].Action)
			if _, _, ok := g.Board().At(place); !ok {
				lost = turns[i] - turns[at]
			}
		}
		if over || played >= 4 {
			fates.values[s] = 1
			if lost >= 0 && lost < 4 {
				fates.values[s] = 0
			}
		}
		if over {
			fates.values[64+s] = 1
			if lost >= 0 {
				fates.values[64+s] = 0
			}
		}
	}
	for _, v := range fates.values {
		if v >= 0 {
			fates.weight = weight
		}
	}
	all["survival"] = fates

	left := lesson{values: make([]float32, 16)}
	if over {
		i := slices.IndexFunc([]int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 1 << 30}, func(most int) bool { return played <= most })
		left.values[i], left.weight = 1, weight
	}
	all["moves_left"] = left

	answer := lesson{values: make([]float32, game.NumActions)}
	if i := slices.Index(turns[:last], turns[at]+1); i >= 0 && teaches(&r.Decisions[i], r.Result) {
		answer.weight = r.Decisions[i].PolicyWeight
		fillPolicy(&r.Decisions[i], answer.values)
	}
	all["reply"] = answer

	soft := lesson{make([]float32, game.NumActions), d.PolicyWeight}
	fillPolicy(&d, soft.values)
	total := 0.0
	for _, v := range soft.values {
		total += math.Pow(float64(v), 0.25)
	}
	for j, v := range soft.values {
		soft.values[j] = float32(math.Pow(float64(v), 0.25) / total)
	}
	all["soft_policy"] = soft

	chances := lesson{values: make([]float32, 3)}
	for k, ahead := range []int{2, 6, 16} {
		v := float32(math.NaN())
		i := at
		for i < last && (turns[i]-turns[at] < ahead || !teaches(&r.Decisions[i], r.Result)) {
			i++
		}
		won := r.Result.Winner == sides[at]
		switch {
		case i < last && sides[i] == sides[at]:
			v = r.Decisions[i].Value
		case i < last:
			v = 1 - r.Decisions[i].Value
		case r.Result.Reason == game.TurnLimit && won:
			v = limit
		case r.Result.Reason == game.TurnLimit:
			v = 1 - limit
		case r.Result.Over() && won:
			v = 1
		case r.Result.Over():
			v = 0
		}
		chances.values[k] = v
		if v >= 0 {
			chances.weight = weight
		}
	}
	all["values"] = chances
	return all
}

// fillPolicy sets values to the policy target of a decision, by action.
func fillPolicy(d *data.Decision, values []float32) {
	total := 0.0
	for _, v := range d.Visits {
		total += float64(v.Count)
	}
	for _, v := range d.Visits {
		values[v.Action] = float32(float64(v.Count) / total)
	}
	if d.Policy == nil {
		return
	}
	clear(values)
	for _, s := range d.Policy {
		values[s.Action] = s.Share
	}
}

func TestTargetsDoNotAllocate(t *testing.T) {
	w := NewWindow(1_000_000, DefaultConfig())
	for _, r := range datatest.Records(0, 3, 0) {
		w.Add(0, r)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	samples := make([]Sample, 8)
	values := make([]float32, 1000)
	round := func() {
		w.Sample(rng, samples)
		for i := range samples {
			for k := range targets {
				samples[i].Target(&targets[k], values[:targets[k].Size])
			}
		}
	}
	for range 300 {
		round()
	}
	if n := testing.AllocsPerRun(20, round); n > 0.1 {
		t.Errorf("%v allocations a round", n)
	}
}
