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

// passes plays the gatekeeper's match, of me against the network that plays at present, and reports whether me passes.
// The result is meaningless if the context ends first.
func (m *matches) passes(ctx context.Context, me, present *eval.Network) (passed bool, err error) {
	c := &m.config.Match.Gatekeeper
	if c.Games == 0 {
		return true, nil
	}
	entrants := []*arena.Entrant{m.seat(me), m.seat(present)}
	test := c.Test
	t, err := m.tournament(net.GenerationName(me.Origin.Generation)+"-"+gatekeeperFile, arena.TournamentConfig{
		// The seed differs from the ladder's, which may pair the same two networks.
		Rules: arena.Rules{Seed: m.config.Seed + 1<<19, TurnLimit: m.config.Match.TurnLimit},
		Games: c.Games, Test: &test,
	}, entrants)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if done, err := m.finish(ctx, t, fmt.Sprintf("generation %d", present.Origin.Generation)); err != nil || !done {
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
	return passed, m.reportTest(me, present, tally, passed)
}

// reportTest logs the result of the gatekeeper's match, saves it and adds it to the series.
func (m *matches) reportTest(me, present *eval.Network, tally arena.Tally, passed bool) error {
	verdict, accepted := "rejected", 0.0
	if passed {
		verdict, accepted = "accepted", 1
	}
	m.log.Info(fmt.Sprintf("gatekeeper: generation %d is %s against generation %d (%v): %v", me.Origin.Generation, verdict, present.Origin.Generation, tally.Test, tally))
	record, err := m.record(net.GenerationName(present.Origin.Generation), me, tally)
	if err != nil {
		return err
	}
	record.Gatekeeper = true
	if err := writeRecord(m.dir.match(me.Origin.Generation, gatekeeperFile), record); err != nil {
		return err
	}
	p := metrics.Point{Step: int64(me.Origin.Generation), Time: time.Now(), Values: []metrics.Value{
		{Name: "gatekeeper/rate", Value: tally.Rate()}, {Name: "gatekeeper/accepted", Value: accepted},
	}}
	return m.reports.measured(p)
}
