package match

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"warren/internal/durable"
	"warren/rating"
)

// TournamentConfig says how a tournament is played. What is in Rules may not
// change while it goes on; the rest may.
type TournamentConfig struct {
	Rules

	// Gauntlet makes the first so many players play all others, and the others
	// not among each other; 0 is everyone against everyone.
	Gauntlet int
	// Plays says whether two players, by their names, play each other; nil is
	// everyone against everyone. It may be asked in either order.
	Plays func(a, b string) bool
	// Games of each pairing, rounded up to whole pairs; with Until, at most, and
	// 0 is any number.
	Games int
	// Until ends the tournament when every rating's 95% interval reaches this
	// many Elo to either side, or less: games are then spent where they tell
	// most for their time. 0 is no such end: every pairing plays its games, by
	// rounds.
	Until float64
	// Anchor is the name of the player whose rating is 0, and relative to whom
	// the intervals are; empty for the mean of all players.
	Anchor string
	// Test ends a tournament of two players as soon as it is decided.
	Test *rating.SPRT

	Workers int // games at once; 0 is one for every core
	// Now is the clock that says what a game costs; nil is time.Now.
	Now func() time.Time
}

// workers is how many games are played at once.
func (c *TournamentConfig) workers() int {
	if c.Workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return c.Workers
}

// Tournament is games among several players, rated on one scale. Finished games
// are kept in a log, from which it goes on when it is opened again.
type Tournament struct {
	config   TournamentConfig
	entrants []*Entrant
	anchor   int
	log      *durable.Log // nil: nothing is kept
	lock     io.Closer

	mu      sync.Mutex
	duels   []*duel
	queue   []pairGame // games to be played next
	resumed bool       // whether games missing at the start have been queued
	round   int        // of the fixed schedule, the last that was queued
	flying  int        // games being played
	trial   trial
	changed *sync.Cond // whenever a game ends

	forecast   forecast
	forecastAt time.Time // when it was made
}

// duel is how a pairing of two entrants stands. The name of a sorts before that
// of b, so that their games are the same in whatever order they were entered.
type duel struct {
	a, b    int
	done    map[int]bool // numbers of the finished games
	begun   int          // pairs queued, being played or finished
	pending int          // games being played
	score   Score        // a's
	seconds float64      // all games together

	forfeits map[int]map[string]int // games by the loser, and by what its fault was
}

// pairGame is a game of a pairing.
type pairGame struct {
	duel   *duel
	number int
}

// NewTournament returns a tournament of the entrants, whose names must differ.
// With a directory its games are kept in a log there: if there is one already
// the tournament goes on with it, and refuses to if it was begun with other rules
// or if a player of a name was another. Players may be added, and left out. Close
// it when done.
func NewTournament(dir string, config TournamentConfig, entrants []*Entrant) (*Tournament, error) {
	t := &Tournament{config: config, entrants: entrants, anchor: rating.Mean}
	t.changed = sync.NewCond(&t.mu)
	t.trial.test = config.Test
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

// pair lays out the pairings.
func (t *Tournament) pair() error {
	if len(t.entrants) < 2 {
		return errors.New("a tournament needs two players or more")
	}
	byName := map[string]bool{}
	for _, e := range t.entrants {
		if byName[e.Name()] {
			return fmt.Errorf("two players are called %q: give one another name with the option label=..., as in net:PATH,label=LABEL", e.Name())
		}
		byName[e.Name()] = true
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
	if t.config.Games == 0 && t.config.Until == 0 {
		return errors.New("a tournament needs a number of games, or a width of the intervals at which to end")
	}
	for a := range t.entrants {
		for b := a + 1; b < len(t.entrants); b++ {
			if g := t.config.Gauntlet; g != 0 && (a >= g || b < g) {
				continue
			}
			if plays := t.config.Plays; plays != nil && !plays(t.entrants[a].Name(), t.entrants[b].Name()) {
				continue
			}
			d := &duel{a: a, b: b, done: map[int]bool{}}
			if t.entrants[a].Name() > t.entrants[b].Name() {
				d.a, d.b = b, a
			}
			t.duels = append(t.duels, d)
		}
	}
	return nil
}

// Close lets go of the log.
func (t *Tournament) Close() error {
	if t.log == nil {
		return nil
	}
	return errors.Join(t.log.Close(), t.lock.Close())
}

// Run plays until the tournament is over or the context ends. Observe, which
// may be nil, is called after every game, one call at a time.
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

// play plays a game and keeps it.
func (t *Tournament) play(ctx context.Context, p pairGame, observe func(Progress)) error {
	a, b := t.entrants[p.duel.a], t.entrants[p.duel.b]
	start := t.config.Now()
	g, err := playGame(ctx, pairing{
		a: a, b: b, number: p.number, seed: t.pairSeed(a.Name(), b.Name(), p.number/2),
		opening: opening(t.config.Openings, p.number/2, t.config.Seed),
	}, t.config.TurnLimit)
	seconds := t.config.Now().Sub(start).Seconds()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flying--
	p.duel.pending--
	t.changed.Broadcast()
	if err != nil {
		return fmt.Errorf("game %d of %s against %s: %w", p.number+1, a.Name(), b.Name(), err)
	}
	if err := t.record(p.duel, g, seconds); err != nil {
		return err
	}
	t.count(p.duel, g, seconds)
	if observe != nil {
		observe(t.progress())
	}
	return nil
}

// count takes a finished game into account.
func (t *Tournament) count(d *duel, g *Game, seconds float64) {
	d.done[g.Number] = true
	d.begun = max(d.begun, g.Number/2+1)
	d.score.add(g)
	d.seconds += seconds
	t.trial.add(g)
	if g.Forfeit != "" {
		loser := d.b
		if !g.Won() {
			loser = d.a
		}
		if d.forfeits == nil {
			d.forfeits = map[int]map[string]int{}
		}
		if d.forfeits[loser] == nil {
			d.forfeits[loser] = map[string]int{}
		}
		d.forfeits[loser][g.Forfeit]++
	}
}

// pairSeed returns the seed of a pair of games. It comes of the players' names
// alone, so that a game is the same whoever else takes part.
func (t *Tournament) pairSeed(a, b string, pair int) uint64 {
	h := sha256.Sum256(fmt.Appendf(nil, "%d\n%d\n%s\n%s", t.config.Seed, pair, a, b))
	return binary.LittleEndian.Uint64(h[:])
}
