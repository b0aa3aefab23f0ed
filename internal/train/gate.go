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
	"warren/net"
)

// gatekeeperFile is the file name of the gatekeeper's matches.
const gatekeeperFile = "gatekeeper"

// gatekeeper tests new networks against the one that plays.
type gatekeeper struct{ *matches }

// passes plays the match of me against the network that plays at present, and reports whether me
// passes. The result is meaningless if the context ends first.
func (g *gatekeeper) passes(ctx context.Context, me, present *eval.Network) (passed bool, err error) {
	c := &g.config.Match.Gatekeeper
	if c.Games == 0 {
		return true, nil
	}
	entrants := []*arena.Entrant{g.seat(me), g.seat(present)}
	test := c.Test
	t, err := g.tournament(net.GenerationName(me.Origin.Generation)+"-"+gatekeeperFile, arena.TournamentConfig{
		// The seed differs from the ladder's, which may pair the same two networks.
		Rules: arena.Rules{Seed: g.config.Seed + 1<<19, TurnLimit: g.config.Match.TurnLimit},
		Games: c.Games, Test: &test,
	}, entrants)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if done, err := g.finish(ctx, t, fmt.Sprintf("generation %d", present.Origin.Generation)); err != nil || !done {
		return false, err
	}
	standings, err := t.Standings()
	if err != nil {
		return false, err
	}
	tally := standings.Between(entrants[0].Name(), entrants[1].Name())
	tally.Test, tally.Pairs = standings.Test.Verdict, standings.Test.Pairs
	passed = tally.Test == rating.AcceptElo1
	if tally.Test == rating.Undecided {
		passed = test.LLR(tally.Pairs) > 0
	}
	return passed, g.report(me, present, tally, passed)
}

// report logs the result of the match, saves it and adds it to the series.
func (g *gatekeeper) report(me, present *eval.Network, tally arena.Tally, passed bool) error {
	verdict, accepted := "rejected", 0.0
	if passed {
		verdict, accepted = "accepted", 1
	}
	g.log.Info(fmt.Sprintf("gatekeeper: generation %d is %s against generation %d (%v): %v", me.Origin.Generation, verdict, present.Origin.Generation, tally.Test, tally))
	record, err := g.record(net.GenerationName(present.Origin.Generation), me, tally)
	if err != nil {
		return err
	}
	record.Gatekeeper = true
	if err := writeRecord(g.dir.match(me.Origin.Generation, gatekeeperFile), record); err != nil {
		return err
	}
	p := metrics.Point{Step: int64(me.Origin.Generation), Time: time.Now(), Values: []metrics.Value{
		{Name: "gatekeeper/rate", Value: tally.Rate()}, {Name: "gatekeeper/accepted", Value: accepted},
	}}
	return g.reports.measured(p)
}
