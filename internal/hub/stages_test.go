package hub

import (
	"context"
	"errors"
	"testing"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/observe"
	"warren/internal/selfplay"
)

// Workers play the games of a run by the settings of their network's stage. The hub accepts no others.
func TestStagesOfARun(t *testing.T) {
	job := testJob()
	later := job.Rules
	later.Settings, later.Config.TurnLimit, later.Search.NoiseFraction = "later", 3, 0
	job.Later = []selfplay.Rules{later}
	s := newSite(t, job, func(o *Options) { o.Sample = 1 })
	one := saved(t, 1)
	two := *one // as if nothing had been learned
	two.Origin.Generation, two.Origin.Stage = 2, 1
	three := saved(t, 2)
	three.Origin.Generation, three.Origin.Stage = 3, 1
	if n, err := opened(three.Origin.Path, current{Hash: three.Hash, Generation: 3, Stage: 1}, open); err != nil || n.Origin.Stage != 1 || n.Origin.Generation != 3 {
		t.Errorf("it is opened as %+v, %v", n, err)
	}
	play(t, s.dial(t, "a", ""))
	for _, n := range []*eval.Network{one, &two, three} {
		s.networks.Store(n)
		settings := job.Stage(n.Origin.Stage).Settings
		s.store.until(t, "games of a stage", func(games map[data.Hash]*data.Record) bool {
			count := 0
			for _, r := range games {
				if int(r.Generation) == n.Origin.Generation && r.Network == n.Hash {
					if count++; r.Settings != settings || r.Settings == "later" && r.Turns > 3+r.Opening {
						t.Fatalf("generation %d played %d turns under the settings %q", r.Generation, r.Turns, r.Settings)
					}
				}
			}
			return count >= 4
		})
	}
	replayed := s.activity("a").Replayed
	s.await(t, func() bool { return s.activity("a").Replayed > replayed+10 || s.activity("a").Name == "" })
	if x := s.activity("a"); x.Name == "" || x.refused() > 0 {
		t.Errorf("of the honest worker: %+v", x)
	}

	h := s.hostile(t, "hostile")
	first := h.lease(t, 2).First
	young := honestGame(t, job.Stage(1), first) // by a network of the first stage
	old := honestGame(t, job.Stage(0), first+1)
	old.Network, old.Generation = two.Hash, 2
	for i, r := range []*data.Record{young, old} {
		h.hand(t, h.pack(t, r))
		s.await(t, func() bool { return s.activity("hostile").Refused["settings of another stage"] == i+1 })
	}
	again, damaged, err := openKnown(s.keys.dir)
	if err != nil || damaged > 0 {
		t.Fatalf("%d damaged lines, %v", damaged, err)
	}
	defer again.close()
	for generation, want := range map[int]string{1: "settings", 2: "later"} {
		for _, settings := range []string{"settings", "later"} {
			if again.together(one.Hash, generation, settings) != (settings == want) {
				t.Errorf("after a restart, generation %d and the settings %q are together: %t", generation, settings, settings != want)
			}
		}
	}
}

// When a run continues with other settings of a later stage, a worker that has stayed plays by them.
func TestWorkerTakesOverALaterStage(t *testing.T) {
	job := testJob()
	job.Later = []selfplay.Rules{{Config: job.Config, Search: job.Search, Settings: "later"}}
	s := newSite(t, job, nil)
	n := saved(t, 1)
	n.Origin.Stage = 1
	s.networks.Store(n)
	play(t, s.dial(t, "a", ""))
	game := func(settings string) func(map[data.Hash]*data.Record) bool {
		return func(games map[data.Hash]*data.Record) bool {
			for _, r := range games {
				if r.Settings == settings {
					return true
				}
			}
			return false
		}
	}
	s.store.until(t, "a game of the later stage", game("later"))
	if err := s.stop(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	job.Later = []selfplay.Rules{{Config: job.Config, Search: job.Search, Settings: "others"}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Play(ctx, job, s.networks, s.store, observe.Nobody) }()
	defer func() {
		cancel()
		<-ended
	}()
	s.store.until(t, "a game with the other settings", game("others"))
}
