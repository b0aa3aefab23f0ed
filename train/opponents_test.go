package train

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"warren/data"
	"warren/settings"
)

func TestSpread(t *testing.T) {
	for newest, want := range map[int][]int{0: nil, 1: nil, 2: {1}, 4: {1, 2, 3}, 5: {1, 2, 3, 4}} {
		if got := spread(rand.New(rand.NewPCG(1, 2)), newest); !slices.Equal(got, want) {
			t.Errorf("before generation %d: %v, want %v", newest, got, want)
		}
	}
	count := map[int]int{}
	for seed := range uint64(2000) {
		drawn := spread(rand.New(rand.NewPCG(seed, 3)), 41)
		for i, g := range drawn {
			if g <= 10*i || g > 10*(i+1) {
				t.Fatalf("drew %v from the 40 generations before 41", drawn)
			}
			count[g]++
		}
	}
	for g := 1; g <= 40; g++ {
		if count[g] < 130 || count[g] > 270 {
			t.Errorf("generation %d was drawn %d times in 2000, want about 200", g, count[g])
		}
	}
}

// TestRunAgainstOlderNetworks checks that a synchronous run against its older networks is the same
// with another number of workers and when it is interrupted, and that each of them is older.
func TestRunAgainstOlderNetworks(t *testing.T) {
	t.Parallel()
	c := tiny(settings.Sync)
	c.SelfPlay.OlderOpponents = 0.7
	synchronous(t, c)

	path := filepath.Join(t.TempDir(), "run")
	c.Loop.Mode, c.Loop.Generations = settings.Async, 10 // the first generations have no older networks
	work(t, path, c, -1)
	index, err := data.Scan(filepath.Join(path, "games"), nil)
	if err != nil {
		t.Fatal(err)
	}
	against := 0
	for _, shard := range index.Shards {
		s, err := data.OpenShard(shard.Path)
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range s.Records() {
			if err != nil {
				t.Fatal(err)
			}
			if r.Opponent == "" {
				continue
			}
			if against++; r.OpponentGeneration < 1 || r.OpponentGeneration >= r.Generation {
				t.Errorf("game %d of generation %d is against generation %d", r.Game, r.Generation, r.OpponentGeneration)
			}
		}
	}
	if against == 0 {
		t.Error("no game was against an older network")
	}
}
