package train

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warren/eval"
	"warren/match"
	"warren/metrics"
	"warren/rating"
)

// GatekeeperConfig says what a new network must show before self-play uses it.
type GatekeeperConfig struct {
	Games int     `yaml:"games" min:"0" max:"100000" doc:"the most games of the match in which a new network must pass a sequential test against the one that plays; 0: self-play uses every network at once (AlphaGo Zero, Silver et al. 2017: 400 games, of which 55% must be won; AlphaZero: none)"`
	Elo0  float64 `yaml:"elo0" min:"-1000" max:"1000" doc:"difference in rating at which a network is rejected"`
	Elo1  float64 `yaml:"elo1" min:"-1000" max:"1000" doc:"difference at which it is accepted (55% of the games are 35 Elo); if the test is undecided after all games, the likelier of the two holds"`
	Alpha float64 `yaml:"alpha" min:"0.0001" max:"0.4999" doc:"chance to accept a network of elo0"`
	Beta  float64 `yaml:"beta" min:"0.0001" max:"0.4999" doc:"chance to reject a network of elo1"`
}

func (c *GatekeeperConfig) test() rating.SPRT {
	return rating.SPRT{Elo0: c.Elo0, Elo1: c.Elo1, Alpha: c.Alpha, Beta: c.Beta}
}

// gatekeeperFile is the file name of the gatekeeper's matches.
const gatekeeperFile = "gatekeeper"

// candidate makes the newest network wait for the gatekeeper, if there is a
// gatekeeper and a trained network to compare it with.
func (r *Run) candidate() {
	if r.config.Match.Gatekeeper.Games > 0 && r.Latest().Origin.Generation > 0 {
		r.setState(func(s *state) { s.Untested = true; s.Rejected++ })
	} else {
		r.setState(func(s *state) { s.Rejected = 0 })
	}
}

// gate plays the match that a waiting network must pass, and gives the network to
// self-play if it does. If the context ends first, the network goes on waiting.
func (r *Run) gate(ctx context.Context) error {
	if !r.state.Untested {
		return nil
	}
	me, err := r.playable(r.learner.Snapshot(), r.state.Generation)
	if err != nil {
		return err
	}
	passed := true
	if c := r.config.Match.Gatekeeper; c.Games > 0 {
		if passed, err = r.passes(ctx, me, c); err != nil || ctx.Err() != nil {
			return err
		}
	}
	r.setState(func(s *state) {
		s.Untested = false
		if passed {
			s.Rejected = 0
		}
	})
	if err := r.checkpoint(); err != nil {
		return err
	}
	if passed {
		r.current.Store(me)
	}
	return nil
}

// passes plays the match. If the context ends first, passed means nothing.
func (r *Run) passes(ctx context.Context, me *eval.Network, c GatekeeperConfig) (passed bool, err error) {
	present := r.Latest()
	entrants := make([]*match.Entrant, 2)
	for i, n := range []*eval.Network{me, present} {
		if entrants[i], err = r.seat(n); err != nil {
			return false, err
		}
	}
	test := c.test()
	t, err := r.tournament(generationName(me.Origin.Generation)+"-"+gatekeeperFile, match.TournamentConfig{
		// The seed is not the ladder's, which may play the same two networks.
		Rules: match.Rules{Seed: r.config.Seed + 1<<19, TurnLimit: r.config.Match.TurnLimit},
		Games: c.Games, Test: &test,
	}, entrants)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if done, err := r.finish(ctx, t, fmt.Sprintf("generation %d", present.Origin.Generation)); err != nil || !done {
		return false, err
	}
	standings, err := t.Standings()
	if err != nil {
		return false, err
	}
	tally := standings.Between(entrants[0].Name(), entrants[1].Name())
	tally.Test, tally.Pairs = t.Verdict()
	passed = tally.Test == rating.AcceptElo1
	if tally.Test == rating.Undecided {
		passed = test.LLR(tally.Pairs[:]) > 0
	}
	return passed, r.reportGate(me, present, tally, passed)
}

// reportGate keeps the result of the match and tells it to the log and the series.
func (r *Run) reportGate(me, present *eval.Network, tally match.Tally, passed bool) error {
	verdict, accepted := "rejected", 0.0
	if passed {
		verdict, accepted = "accepted", 1
	}
	r.log.Info(fmt.Sprintf("gatekeeper: generation %d is %s against generation %d (%v): %v", me.Origin.Generation, verdict, present.Origin.Generation, tally.Test, tally))
	record, err := r.matchRecord(generationName(present.Origin.Generation), me, tally)
	if err != nil {
		return err
	}
	record.Gatekeeper = true
	if err := writeRecord(r.dir.match(me.Origin.Generation, gatekeeperFile), record); err != nil {
		return err
	}
	p := metrics.Point{Step: int64(me.Origin.Generation), Time: time.Now(), Values: []metrics.Value{
		{Name: "gatekeeper/rate", Value: tally.Rate()}, {Name: "gatekeeper/accepted", Value: accepted},
	}}
	return r.measured(p)
}
