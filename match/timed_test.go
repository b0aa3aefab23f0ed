package match

import (
	"testing"
	"time"
)

// A player with a clock plays whole games, on several threads.
func TestTimedSearch(t *testing.T) {
	p := searcher("clock", 8)
	p.Time, p.Threads = time.Millisecond, 2
	tally, games := play(t, Config{Games: 4, Seed: 1, TurnLimit: 60}, p, Random{})
	if tally.Games() != 4 || games[0].Turns == 0 {
		t.Errorf("%+v", tally)
	}
}

// A clock makes another player, whose games depend on more than the seed.
func TestTimedNames(t *testing.T) {
	n := names()
	timed, err := n.Parse("a.safetensors,time=2s")
	if err != nil {
		t.Fatal(err)
	}
	threads, _ := n.Parse("a.safetensors,time=2s,threads=2")
	visits, _ := n.Parse("a.safetensors")
	if timed.Identity == visits.Identity || timed.Identity == threads.Identity {
		t.Errorf("identities %q, %q, %q", timed.Identity, threads.Identity, visits.Identity)
	}
	if _, ok := timed.Portable(); ok {
		t.Error("a player with a clock is portable")
	}
	if _, err := n.Parse("a.safetensors,time=2s,unit=turn"); err == nil {
		t.Error("a search over turns takes a time")
	}
}
