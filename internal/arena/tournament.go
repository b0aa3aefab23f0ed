package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"warren/internal/arena/rating"
	"warren/internal/durable"
)

// TournamentConfig describes a tournament. The Rules cannot change after its first
// game; the rest can.
type TournamentConfig struct {
	Rules

	// Gauntlet is the number of entrants, from the first, that play everyone else.
	// The others do not play each other. 0 means everyone plays everyone.
	Gauntlet int
	// Games is the number of games of each pairing, rounded up to whole pairs. With
	// Until it is the most they play, and 0 sets no limit.
	Games int
	// Between, unless nil, is asked for the number of games of two players, by
	// their names in either order, instead of Games. With 0 they do not meet.
	Between func(a, b string) int
	// Until, in Elo, ends the tournament when the 95% interval of every rating
	// reaches at most this far to either side, or when further games cannot narrow
	// those that are wider (see [Standings.Apart]). Each next pair of games is then
	// the one expected to narrow the intervals most per second. 0 means that every
	// pairing plays its games, round by round.
	Until float64
	// Anchor is the name of the player whose rating is 0 and whom the intervals are
	// relative to. Empty means the mean of all players.
	Anchor string
	// Test ends a tournament of two players once it has decided how much stronger
	// the first entrant is than the second.
	Test *rating.SPRT

	Workers int // games played at once; 0 means one per core
	// Play plays a game. Nil means that this process plays it.
	Play func(context.Context, *Fixture) (*Played, error)
	// Log takes the damage that is found in the log of the games; nil means nobody.
	Log *slog.Logger
	// Meter, unless nil, is told of the games that this process plays.
	Meter *Meter
	// Now is the clock that measures what a game costs; nil means time.Now.
	Now func() time.Time
}

// workers returns the number of games played at once.
func (c *TournamentConfig) workers() int {
	if c.Workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return c.Workers
}

// Tournament plays games among several players and rates them on one scale. It
// keeps finished games in a log, and continues from there when it is opened again.
type Tournament struct {
	config   TournamentConfig
	entrants []*Entrant
	anchor   int
	log      *durable.Log // nil: nothing is kept
	lock     io.Closer

	mu       sync.Mutex
	duels    []*duel
	forfeits []map[string]int // by entrant: games that it forfeited, by cause
	queue    []scheduled      // games to play next
	resumed  bool             // whether the games missing from begun pairs have been queued
	round    int              // the last round of the fixed schedule that was queued
	flying   int              // games being played
	trial    trial
	changed  *sync.Cond // signalled when a game ends

	forecast   forecast
	forecastAt time.Time // when it was made
}

// duel holds the games of two entrants. The name of a sorts before that of b, so
// the games do not depend on the order of the entrants.
type duel struct {
	a, b    int
	most    int          // pairs to play; with Until, 0 sets no limit
	done    map[int]bool // numbers of the finished games
	begun   int          // pairs queued, being played or finished
	pending int          // games being played
	known   known        // the finished games
	tally   Tally        // a's
	seconds float64      // all games together
}

// scheduled is a game of a duel that is to be played.
type scheduled struct {
	duel   *duel
	number int
}

// NewTournament returns a tournament of the entrants, whose names must differ.
//
// If dir is not empty, the games are kept in a log there, and the tournament goes
// on with the log that it finds. Damaged lines are set aside there, and their games are
// played again. The error is a [LogError] if the file is not such a log, or was begun
// with other rules or with another player of the same name. Entrants may be added and
// left out. Close the tournament when done.
func NewTournament(dir string, config TournamentConfig, entrants []*Entrant) (*Tournament, error) {
	t := &Tournament{config: config, entrants: entrants, anchor: rating.Mean, forfeits: make([]map[string]int, len(entrants))}
	t.changed = sync.NewCond(&t.mu)
	t.trial.test = config.Test
	if t.config.Log == nil {
		t.config.Log = slog.New(slog.DiscardHandler)
	}
	if t.config.Now == nil {
		t.config.Now = time.Now
	}
	if err := t.pair(); err != nil {
		return nil, err
	}
	if dir != "" {
		if err := t.openLog(dir); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// pair checks the configuration and makes the duels.
func (t *Tournament) pair() error {
	if len(t.entrants) < 2 {
		return errors.New("a tournament needs two players or more")
	}
	byName := map[string]bool{}
	for _, e := range t.entrants {
		if byName[e.Name()] {
			return fmt.Errorf("two players are called %q: give one another name with the option label=..., as in net:PATH,label=LABEL", e.Name())
		}
		if strings.ContainsFunc(e.Name(), unicode.IsControl) { // the archive has a line for a game, and tabs between
			return fmt.Errorf("the name %q has a control character: give the player another one with the option label=..., as in net:PATH,label=LABEL", e.Name())
		}
		if !utf8.ValidString(e.Name()) { // nor could the log be read again
			return fmt.Errorf("the name %q is not UTF-8: give the player another one with the option label=..., as in net:PATH,label=LABEL", e.Name())
		}
		byName[e.Name()] = true
		if err := e.Startable(); err != nil && t.config.Play == nil {
			return err
		}
	}
	if name := t.config.Anchor; name != "" {
		if t.anchor = slices.IndexFunc(t.entrants, func(e *Entrant) bool { return e.Name() == name }); t.anchor < 0 {
			return fmt.Errorf("the anchor %q is none of the players", name)
		}
	}
	if t.config.Gauntlet >= len(t.entrants) {
		return fmt.Errorf("a gauntlet of %d players against the rest needs more than the %d there are", t.config.Gauntlet, len(t.entrants))
	}
	if t.config.Test != nil && len(t.entrants) != 2 {
		return fmt.Errorf("a sequential test is between two players, not %d", len(t.entrants))
	}
	if t.config.Games == 0 && t.config.Between == nil && t.config.Until == 0 {
		return errors.New("a tournament needs a number of games, or a width of the intervals at which to end")
	}
	for a := range t.entrants {
		for b := a + 1; b < len(t.entrants); b++ {
			if g := t.config.Gauntlet; g != 0 && (a >= g || b < g) {
				continue
			}
			games := t.config.Games
			if t.config.Between != nil {
				if games = t.config.Between(t.entrants[a].Name(), t.entrants[b].Name()); games == 0 {
					continue
				}
			}
			d := &duel{a: a, b: b, most: (games + 1) / 2, done: map[int]bool{}, known: known{}}
			if t.entrants[a].Name() > t.entrants[b].Name() {
				d.a, d.b = b, a
			}
			t.duels = append(t.duels, d)
		}
	}
	return nil
}

// Close releases the log.
func (t *Tournament) Close() error {
	if t.log == nil {
		return nil
	}
	return errors.Join(t.log.Close(), t.lock.Close())
}

// Run plays until the tournament is over or the context ends. It calls observe,
// unless that is nil, after every game, one call at a time.
func (t *Tournament) Run(ctx context.Context, observe func(Progress)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.changed.Broadcast()
	})()
	var group sync.WaitGroup
	for range t.config.workers() {
		group.Go(func() {
			for {
				p, ok, err := t.take(ctx)
				if err != nil {
					cancel(err)
				}
				if !ok {
					return
				}
				if err := t.play(ctx, p, observe); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// play plays a game and records it.
func (t *Tournament) play(ctx context.Context, p scheduled, observe func(Progress)) error {
	a, b := t.entrants[p.duel.a], t.entrants[p.duel.b]
	start := t.config.Now()
	f := t.config.fixture(a, b, p.number)
	f.meter = t.config.Meter
	play := f.Play
	if t.config.Play != nil {
		play = func(ctx context.Context) (*Played, error) { return t.config.Play(ctx, &f) }
	}
	g, err := play(ctx)
	seconds := t.config.Now().Sub(start).Seconds()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flying--
	p.duel.pending--
	t.changed.Broadcast()
	if err != nil {
		return fmt.Errorf("game %d of %s against %s: %w", p.number+1, a.Name(), b.Name(), err)
	}
	moves := moveList(g.Actions)
	if err := t.record(p.duel, g, moves, seconds); err != nil {
		return err
	}
	t.count(p.duel, g, moves, seconds)
	if observe != nil {
		observe(t.progress())
	}
	return nil
}

// count adds a finished game to the results.
func (t *Tournament) count(d *duel, g *Played, moves string, seconds float64) {
	d.done[g.Number] = true
	d.begun = max(d.begun, g.Number/2+1)
	trace := traceOf(g, moves)
	d.tally.add(g, d.known.add(trace))
	d.seconds += seconds
	t.trial.add(g.Number, g.Won() == (d.a == 0), trace)
	if g.Forfeit != "" {
		loser := d.b
		if !g.Won() {
			loser = d.a
		}
		if t.forfeits[loser] == nil {
			t.forfeits[loser] = map[string]int{}
		}
		t.forfeits[loser][g.Forfeit]++
	}
}
