package hub

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/eval"
	"warren/internal/settings"
)

// seats plays the games of matches that the hub gives to a worker.
type seats struct {
	worker *Worker
	ended  chan struct{} // has an element when a game has ended

	mu      sync.Mutex
	playing int
	results []*matchResult

	opening  sync.Mutex
	networks []*eval.Network // opened lately, newest last; guarded by opening
}

const openedNetworks = 4 // networks of matches that a worker keeps open

// free returns how many more games can be played, of limit at once.
func (s *seats) free(limit int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, limit-s.playing-len(s.results))
}

// next returns a result to send, or nil.
func (s *seats) next() *matchResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.results) == 0 {
		return nil
	}
	return s.results[0]
}

// sent removes a result that has been sent.
func (s *seats) sent(r *matchResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.results, r); i >= 0 {
		s.results = slices.Delete(s.results, i, i+1)
	}
	if len(s.results) > 0 {
		notify(s.ended)
	}
}

// play plays games in the background.
func (s *seats) play(ctx context.Context, group *sync.WaitGroup, games []*matchGame) {
	for _, g := range games {
		s.mu.Lock()
		s.playing++
		s.mu.Unlock()
		group.Go(func() {
			r, err := s.game(ctx, g)
			if err != nil {
				r = &matchResult{ID: g.ID, Failed: err.Error()}
				s.worker.o.Log.Debug("a game of a match cannot be played", "error", err)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.playing--
			if ctx.Err() == nil {
				s.results = append(s.results, r)
			}
			notify(s.ended)
		})
	}
}

// check returns an error unless the game can be played: its opening is legal, and the players' settings are
// allowed.
func (g *matchGame) check() error {
	position := game.New()
	for i, a := range g.Opening {
		if position.Result().Over() || !slices.Contains(position.Legal(nil), a) {
			return fmt.Errorf("action %d of the opening, %d, is illegal", i+1, a)
		}
		position.Play(a)
	}
	for _, p := range g.Players {
		if p.Search == nil {
			continue
		}
		// Write refuses what is out of range.
		if err := cmp.Or(settings.Write(io.Discard, p.Search), p.Search.Search.Validate()); err != nil {
			return fmt.Errorf("the settings of the player %s: %w", p.Label, err)
		}
	}
	return nil
}

// game plays one game.
func (s *seats) game(ctx context.Context, g *matchGame) (*matchResult, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	r := &matchResult{ID: g.ID}
	f := arena.Fixture{Number: g.Number, Seed: g.Seed, Opening: g.Opening, TurnLimit: g.TurnLimit}
	for i, e := range []**arena.Entrant{&f.A, &f.B} {
		p := &g.Players[i]
		if p.Network == "" {
			var err error
			if *e, err = p.Entrant(); err != nil {
				return nil, err
			}
			continue
		}
		if p.Search == nil || g.Networks[i].Hash != p.Network {
			return nil, fmt.Errorf("the player %s has no search or another network", p.Label)
		}
		n, err := s.open(ctx, g.Networks[i])
		if err != nil {
			return nil, err
		}
		*e, r.Paths[i] = arena.Seated(n, p.Label, *p.Search), n.Attributes().Path
	}
	played, err := f.Play(ctx)
	if err != nil {
		return nil, err
	}
	r.Actions = played.Actions
	return r, nil
}

// open fetches and opens a network unless it is open.
func (s *seats) open(ctx context.Context, c current) (*eval.Network, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	for _, n := range s.networks {
		if n.Hash == c.Hash {
			return n, nil
		}
	}
	n, err := fetch(ctx, s.worker.conn, matchPrefix+c.Hash, c, s.worker.dir, s.worker.o.Open)
	if err != nil {
		return nil, err
	}
	if s.networks = append(s.networks, n); len(s.networks) > openedNetworks {
		s.networks = s.networks[1:]
	}
	return n, nil
}
