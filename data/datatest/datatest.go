// Package datatest makes and reads records for tests.
package datatest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warren/data"
	"warren/game"
)

// Record plays random legal actions with random searches and targets until the game is over or
// limit actions have been played; limit 0 means no limit. Every game has a result. The first decision
// is not searched; every other is a position.
func Record(number uint64, limit int) *data.Record {
	rng := rand.New(rand.NewPCG(number, 1))
	r := &data.Record{Run: "test", Game: number, Seed: 7, Network: "abc", Generation: int32(number / 10 % 1000), Settings: "visits=30",
		EvalPath: []string{"", "avx512"}[number%2], Opening: -int32(number % 2)}
	g := game.New()
	for len(r.Decisions) != limit || limit == 0 {
		legal := g.Legal(nil)
		if len(legal) == 0 {
			break
		}
		d := data.Decision{Action: legal[rng.IntN(len(legal))]}
		if len(r.Decisions) > 0 {
			d.Full, d.Value = rng.IntN(4) == 0, rng.Float32()
			d.PolicyWeight = []float32{0, 1, 1, 0.1}[rng.IntN(4)]
			d.ValueWeight = []float32{1, 1, 1, 0.5}[rng.IntN(4)]
			rng.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] })
			for _, a := range legal[:min(len(legal), 1+rng.IntN(20))] {
				d.Visits = append(d.Visits, data.Visit{Action: a, Count: 1 + uint32(rng.ExpFloat64()*10)})
			}
			slices.SortFunc(d.Visits, func(a, b data.Visit) int { return int(a.Action) - int(b.Action) })
			if rng.IntN(5) == 0 {
				d.Policy = randomPolicy(rng, legal[:min(len(legal), 1+rng.IntN(4))])
			}
		}
		r.Decisions = append(r.Decisions, d)
		g.Play(d.Action)
	}
	r.Result, r.Turns = g.Result(), int32(g.Turns())
	switch {
	case r.Result.Over():
	case number%3 == 0:
		r.Result = game.Result{Winner: g.ScoreWinner(), Reason: game.TurnLimit}
	default:
		r.Result = game.Result{Winner: game.Color(number % 2), Reason: game.Resignation}
	}
	return r
}

// randomPolicy returns a policy target over the actions.
func randomPolicy(rng *rand.Rand, actions []game.Action) []data.Share {
	policy := make([]data.Share, len(actions))
	sum := float32(0)
	for i, a := range slices.Sorted(slices.Values(actions)) {
		policy[i] = data.Share{Action: a, Share: 0.1 + rng.Float32()}
		sum += policy[i].Share
	}
	for i := range policy {
		policy[i].Share /= sum
	}
	return policy
}

// Records returns the records of n games whose numbers begin with first, each as [Record] makes it.
func Records(first, n uint64, limit int) []*data.Record {
	var records []*data.Record
	for i := range n {
		records = append(records, Record(first+i, limit))
	}
	return records
}

// Read returns the games of the shards in a directory, none of which may be damaged.
func Read(t testing.TB, dir string) (all []*data.Record) {
	t.Helper()
	index, err := data.Scan(dir, nil)
	if err != nil || len(index.Damaged) > 0 {
		t.Fatalf("damaged %v, %v", index.Damaged, err)
	}
	for _, info := range index.Shards {
		shard, err := data.OpenShard(info.Path)
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range shard.Records() {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
	}
	return all
}
