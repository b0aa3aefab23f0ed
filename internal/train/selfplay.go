package train

import (
	"context"
	"errors"

	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
)

// selfPlay plays the games of a run, in this process or elsewhere.
type selfPlay struct {
	config    *recipe.Config
	rules     []selfplay.Rules // of each stage
	dir       *Dir
	networks  *networks
	store     *Store
	observer  observe.Observer
	elsewhere Elsewhere // nil for this process
	lowest    int       // number that this process may play; lower ones are those of others
}

// job returns the self-play of count games from number first on, or from the lowest that this process may
// play, without those that are saved already. A count of 0 means no limit.
func (p *selfPlay) job(first, count int) selfplay.Job {
	first = max(first, p.lowest)
	return selfplay.Job{
		Rules: p.rules[0], Later: p.rules[1:],
		Run: p.dir.name, Seed: p.config.Seed,
		First: uint64(first), Count: uint64(count), Done: p.store.Played, Lost: p.networks.lost,
	}
}

// play plays count games from number first on. The end of the context is not an error.
func (p *selfPlay) play(ctx context.Context, first, count int) error {
	var err error
	if job := p.job(first, count); p.elsewhere == nil {
		err = selfplay.Play(ctx, job, p.networks, p.store, p.observer)
	} else {
		err = p.elsewhere(ctx, job, p.networks, p.store, p.observer)
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}

// player runs self-play in the background.
type player struct {
	cancel context.CancelFunc
	done   chan struct{} // closed after err is set
	err    error
}

// nobody returns a player that plays nothing.
func nobody() *player {
	p := &player{cancel: func() {}, done: make(chan struct{})}
	close(p.done)
	return p
}

// start plays in the background, without a limit.
func (p *selfPlay) start(ctx context.Context) *player {
	ctx, cancel := context.WithCancel(ctx)
	background := &player{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(background.done)
		background.err = p.play(ctx, 0, 0)
	}()
	return background
}

// stop ends self-play, waits for it and returns its error.
func (p *player) stop() error {
	p.cancel()
	<-p.done
	return p.err
}
