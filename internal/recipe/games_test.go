package recipe

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/internal/nettest"
	"warren/internal/observe"
	"warren/internal/selfplay"
	"warren/internal/settings"
	"warren/mcts"
	"warren/net"
)

// inspector validates and checks the games of a job, and counts what they have.
type inspector struct {
	t   *testing.T
	job *selfplay.Job

	mu                         sync.Mutex
	games, opened, undecided   int
	searches, full, surprising int // surprising: of more policy weight than usual
}

func (i *inspector) Put(_ context.Context, r *data.Record) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	err := r.Validate()
	if err == nil {
		err = i.job.Check(r)
	}
	if err != nil {
		i.t.Errorf("game %d: %v\n%+v\n%+v", r.Game, err, i.job.Config, i.job.Search)
	}
	i.games++
	i.opened += min(int(r.Opening), 1)
	if !r.Result.Over() {
		i.undecided++
	}
	for n := range r.Decisions {
		d := &r.Decisions[n]
		for count, counts := range map[*int]bool{&i.searches: d.Searched(), &i.full: d.Full, &i.surprising: d.PolicyWeight > 1} {
			if counts {
				*count++
			}
		}
	}
	return nil
}

// play plays a few games of the settings, from the given number on.
func (i *inspector) play(c *Config, n *eval.Network, first uint64) {
	i.t.Helper()
	hash, err := HashOfGames(c.SelfPlay, c.Search)
	if err != nil {
		i.t.Fatal(err)
	}
	i.job = &selfplay.Job{Rules: selfplay.Rules{Config: c.SelfPlay, Search: c.Search, Settings: hash}, Run: "checked", Seed: c.Seed, First: first, Count: 3}
	if err := selfplay.Play(i.t.Context(), *i.job, selfplay.Always{Network: n}, i, observe.Nobody); err != nil {
		i.t.Fatal(err)
	}
}

// TestHonestGamesAreAccepted: the hub refuses no game that self-play can make, with any preset or with
// other settings.
func TestHonestGamesAreAccepted(t *testing.T) {
	network := nettest.Lively(t, net.Config{Blocks: 1, Channels: 8, PolicyChannels: 4, ValueChannels: 2, ValueHidden: 8, Auxiliary: "stopped"}, 1)
	backend, err := cpu.New(network)
	if err != nil {
		t.Fatal(err)
	}
	n := &eval.Network{Backend: backend, Hash: "lively", Origin: eval.Origin{Generation: 3}}
	i := &inspector{t: t}
	for _, preset := range []string{"smoke", "quick", "desktop", "gpu"} {
		c := DefaultConfig()
		if err := settings.Read(preset, nil, &c); err != nil {
			t.Fatal(err)
		}
		i.play(&c, n, 0)
		if !testing.Short() {
			i.play(&c, n, uint64(c.SelfPlay.Visits.Games)-1) // with all visits
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	draws := 40
	if testing.Short() {
		draws = 10
	}
	for range draws {
		c := drawn(rng)
		i.play(&c, n, rng.Uint64N(200))
	}
	if i.opened == 0 || i.opened == i.games || i.undecided == 0 || i.full == 0 || i.full == i.searches || i.surprising == 0 {
		t.Errorf("some kind is missing: %d games, %d after a random opening, %d undecided; %d searches, %d full, %d surprising",
			i.games, i.opened, i.undecided, i.searches, i.full, i.surprising)
	}
}

// drawn returns random settings, of those that affect records.
func drawn(rng *rand.Rand) Config {
	pick := func(list ...float64) float64 { return list[rng.IntN(len(list))] }
	c := DefaultConfig()
	c.Seed = rng.Uint64()
	p, s := &c.SelfPlay, &c.Search
	p.TurnLimit, p.RandomOpenings, p.RandomTurns = 1+rng.IntN(8), pick(0, 0.5, 1), 1+rng.IntN(30)
	p.Visits = selfplay.VisitsConfig{Initial: 2 + rng.IntN(38), Final: 2 + rng.IntN(30), Games: 100}
	p.FastVisits = 1 + rng.IntN(20)
	p.FullFraction, p.SurpriseWeight, p.SetupPolicyWeight = pick(0, 0.3, 1), pick(0, 0.5, 1), pick(0, 0.1, 1)
	p.Temperature, p.FinalTemperature = pick(0, 1, 5), pick(0, 0.3)
	s.Rule = []string{mcts.PUCT, mcts.GumbelRule}[rng.IntN(2)]
	s.NoiseFraction, s.PolicyTargetScale, s.PassPrior, s.CapturePrior = pick(0, 0.25, 1), pick(0, 5, 80), pick(0, 0.05, 1), pick(0, 0.2)
	s.DrawPenalty, s.WinTestSteps = pick(0, 0.5), rng.IntN(2)*1000
	for _, on := range []*bool{&s.Proofs, &s.LostVisits, &s.SkipForced, &s.PruneReversals, &s.SeparateEvaluations} {
		*on = rng.IntN(2) == 0
	}
	return c
}

// TestHashOfGames: the hash is that of what affects a game, which the number of workers does not.
func TestHashOfGames(t *testing.T) {
	hash := func(play selfplay.Config) string {
		h, err := HashOfGames(play, mcts.DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	play := selfplay.DefaultConfig()
	before := hash(play)
	play.Workers, play.GamesPerWorker = 7, 3
	if hash(play) != before {
		t.Error("the number of workers changes the settings of a game")
	}
	play.Visits.Final++
	if hash(play) == before {
		t.Error("the visits do not change the settings of a game")
	}
}
