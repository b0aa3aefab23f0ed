package train

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warren/internal/arena"
	"warren/internal/arena/rating"
	"warren/internal/eval"
	"warren/internal/metrics"
	"warren/internal/recipe"
)

// gatekeeperFile is the file name of the gatekeeper's matches.
const gatekeeperFile = "gatekeeper"

// candidate marks the newest network as untested, if there is a gatekeeper and a
// trained network to compare it with.
func (r *Run) candidate() {
	if r.config.Match.Gatekeeper.Games > 0 && r.Latest().Origin.Generation > 0 {
		r.setState(func(s *state) { s.Untested = true; s.Rejected++ })
	} else {
		r.setState(func(s *state) { s.Rejected = 0 })
	}
}

// newest returns the newest network. While it waits for its test, another one plays.
func (r *Run) newest() (*eval.Network, error) {
	if !r.state.Untested {
		return r.Latest(), nil
	}
	network, err := r.learner.Snapshot()
	if err != nil {
		return nil, err
	}
	return r.playable(network, r.state.Generation)
}

// gate tests the newest network if it is untested, and gives it to self-play if
// it passes. If the context ends first, the network remains untested.
func (r *Run) gate(ctx context.Context) error {
	if !r.state.Untested {
		return nil
	}
	me, err := r.newest()
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

// passes plays the gatekeeper's match and reports whether me passes. The result
// is meaningless if the context ends first.
func (r *Run) passes(ctx context.Context, me *eval.Network, c recipe.Gatekeeper) (passed bool, err error) {
	present := r.Latest()
	entrants := []*arena.Entrant{r.seat(me), r.seat(present)}
	test := c.Test
	t, err := r.tournament(generationName(me.Origin.Generation)+"-"+gatekeeperFile, arena.TournamentConfig{
		// The seed differs from the ladder's, which may pair the same two networks.
		Rules: arena.Rules{Seed: r.config.Seed + 1<<19, TurnLimit: r.config.Match.TurnLimit},
		Games: c.Games, Test: &test,
	}, entrants)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if done, err := r.finish(ctx, t, me.Origin.Generation, fmt.Sprintf("generation %d", present.Origin.Generation)); err != nil || !done {
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

// reportGate logs the result of the match, saves it and adds it to the series.
func (r *Run) reportGate(me, present *eval.Network, tally arena.Tally, passed bool) error {
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
