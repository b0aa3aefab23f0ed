package train

import (
	"context"
	"fmt"
	"time"

	"warren/eval"
	"warren/match"
	"warren/metrics"
	"warren/rating"
)

// GatekeeperConfig says what a new network must show before self-play uses it.
type GatekeeperConfig struct {
	Games int     `yaml:"games" min:"0" max:"100000" doc:"games, at most, in which a new network must pass a sequential test against the one that plays before self-play uses it; 0: every network plays at once (AlphaGo Zero, Silver et al. 2017: 400 games, of which 55% must be won; AlphaZero: none)"`
	Elo0  float64 `yaml:"elo0" min:"-1000" max:"1000" doc:"difference in rating at which a network is rejected"`
	Elo1  float64 `yaml:"elo1" min:"-1000" max:"1000" doc:"difference at which it is accepted (55% of the games are 35 Elo); a test that is still undecided after all games accepts if it leans that way"`
	Alpha float64 `yaml:"alpha" min:"0.0001" max:"0.4999" doc:"chance to accept a network of elo0"`
	Beta  float64 `yaml:"beta" min:"0.0001" max:"0.4999" doc:"chance to reject a network of elo1"`
}

func (c *GatekeeperConfig) test() rating.SPRT {
	return rating.SPRT{Elo0: c.Elo0, Elo1: c.Elo1, Alpha: c.Alpha, Beta: c.Beta}
}

// gatekeeperFile is the file name of the gatekeeper's matches.
const gatekeeperFile = "gatekeeper"

// candidate makes the newest network wait for the gatekeeper, if there is one
// and a trained network to compare it with.
func (r *Run) candidate() {
	if r.config.Match.Gatekeeper.Games > 0 && r.Latest().Origin.Generation > 0 {
		r.setState(func(s *state) { s.Untested = true; s.Rejected++ })
	} else {
		r.setState(func(s *state) { s.Rejected = 0 })
	}
}

// gate plays the match that a waiting network must pass, and lets self-play have
// it if it does. If the context ends first the network goes on waiting.
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

// passes carries out the test.
func (r *Run) passes(ctx context.Context, me *eval.Network, c GatekeeperConfig) (bool, error) {
	present := r.Latest()
	test := c.test()
	r.playing(fmt.Sprintf("generation %d", present.Origin.Generation))
	defer r.playing("")
	score, err := match.Play(ctx, match.Config{
		Games: c.Games, Test: &test,
		Seed:      r.config.Seed + uint64(me.Origin.Generation)<<20 + 1<<19,
		TurnLimit: r.config.SelfPlay.TurnLimit,
	}, r.seat(me), r.seat(present), nil)
	if err != nil || ctx.Err() != nil {
		if ctx.Err() != nil {
			err = nil
		}
		return false, err
	}
	passed := score.Test == rating.AcceptElo1
	if score.Test == rating.Undecided {
		passed = test.LLR(score.Pairs[:]) > 0
	}
	verdict := "rejected"
	if passed {
		verdict = "accepted"
	}
	r.log.Info(fmt.Sprintf("gatekeeper: generation %d is %s against generation %d (%v): %v", me.Origin.Generation, verdict, present.Origin.Generation, score.Test, score))
	if err := writeRecord(r.dir.match(me.Origin.Generation, gatekeeperFile), r.matchRecord(generationName(present.Origin.Generation), me, score)); err != nil {
		return false, err
	}
	p := metrics.Point{Step: int64(me.Origin.Generation), Time: time.Now(), Values: []metrics.Value{{Name: "gatekeeper/rate", Value: score.Rate()}, {Name: "gatekeeper/accepted", Value: 0}}}
	if passed {
		p.Values[1].Value = 1
	}
	if err := r.measured(p); err != nil {
		return false, err
	}
	return passed, nil
}
