package train

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warren/internal/arena"
	"warren/internal/eval"
	"warren/net"
)

// opponent is a player that a network is measured against.
type opponent struct {
	title   string // in the log
	file    string // part of its record's file name
	series  string // of the share of games won; empty for none
	entrant *arena.Entrant
}

// measure measures a network: it plays the matches that have no result yet, saves their results and
// rates the network. An interrupted measurement continues with the next game. A match whose result is
// saved is not played again.
func (l *ladder) measure(ctx context.Context, me *eval.Network) error {
	if l.done(me) {
		return nil
	}
	opponents, err := l.opponents(me)
	if err != nil {
		return err
	}
	if len(opponents) == 0 { // nobody is rated without a game
		l.alone = me.Hash
		return nil
	}
	missing := slices.DeleteFunc(slices.Clone(opponents), func(o opponent) bool { return l.dir.measured(me, &o) })
	if len(missing) > 0 {
		if err := l.play(ctx, me, missing); err != nil || ctx.Err() != nil {
			return err
		}
	}
	return l.rate(me, opponents)
}

// done reports whether nothing of a network's measurement is left: it is complete, or cannot be made.
func (m *matches) done(me *eval.Network) bool {
	return me.Origin.Generation == 0 || m.alone == me.Hash || m.dir.rated(me)
}

// play plays the network against the opponents and saves the results.
func (l *ladder) play(ctx context.Context, me *eval.Network, opponents []opponent) (err error) {
	self := l.seat(me)
	entrants := []*arena.Entrant{self}
	for _, o := range opponents {
		entrants = append(entrants, o.entrant)
	}
	t, err := l.tournament(net.GenerationName(me.Origin.Generation), arena.TournamentConfig{
		Rules: arena.Rules{Seed: l.config.Seed, TurnLimit: l.config.Match.TurnLimit},
		Games: l.config.Match.Games, Gauntlet: 1,
	}, entrants)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	against := opponents[0].title
	if n := len(opponents); n > 1 {
		against = fmt.Sprintf("%d opponents", n)
	}
	if done, err := l.finish(ctx, t, against); err != nil || !done {
		return err
	}
	standings, err := t.Standings()
	if err != nil {
		return err
	}
	for _, o := range opponents {
		tally := standings.Between(self.Name(), o.entrant.Name())
		l.log.Info(fmt.Sprintf("generation %d against %s: %v", me.Origin.Generation, o.title, tally))
		record, err := l.record(o.entrant.Name(), me, tally)
		if err != nil {
			return err
		}
		if err := writeRecord(l.dir.match(me.Origin.Generation, o.file), record); err != nil {
			return err
		}
	}
	for _, p := range standings.Players {
		for _, line := range p.Forfeited() { // an engine that fails looks like one that is weak
			l.log.Warn(line)
		}
	}
	return nil
}
