package selfplay

import (
	"sync"
	"sync/atomic"

	"warren/internal/eval"
)

// pool holds the games that no worker has: games not yet begun, and games that a
// busy worker has given up for an idle one. It starts the workers.
type pool struct {
	job   *Job
	start func() // starts a worker

	idle atomic.Int32 // number of waiting workers; read without the lock as a hint

	mu      sync.Mutex
	changed sync.Cond
	workers int        // number of workers started
	next    uint64     // number of the next game to begin
	given   []*episode // on their way from one worker to another
	closed  bool
}

func newPool(job *Job) *pool {
	p := &pool{job: job, next: job.First}
	p.changed.L = &p.mu
	return p
}

// staff starts the additional workers that a network's device needs.
func (p *pool) staff(device eval.Attributes) {
	want, _ := p.job.Config.Load(device)
	p.mu.Lock()
	defer p.mu.Unlock()
	for ; p.workers < want && !p.closed; p.workers++ {
		p.start()
	}
}

// take returns the number of a game to begin, if one is left.
func (p *pool) take() (number uint64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.job.Next != nil {
		return p.job.Next()
	}
	for p.job.Count == 0 || p.next < p.job.First+p.job.Count {
		number = p.next
		p.next++
		if p.job.Done == nil || !p.job.Done(number) {
			return number, true
		}
	}
	return 0, false
}

// share gives up half of a worker's games if another worker is idle. It returns
// the games that the worker keeps.
func (p *pool) share(games []*episode) []*episode {
	if p.idle.Load() == 0 || len(games) < 2 {
		return games
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.given) > 0 {
		return games // another worker has shared; the idle one is waking up
	}
	half := len(games) / 2
	p.given = append(p.given, games[half:]...)
	clear(games[half:])
	p.changed.Broadcast()
	return games[:half]
}

// wait blocks until another worker gives up games, and returns them. It returns
// none when no work is left.
func (p *pool) wait() []*episode {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle.Add(1)
	defer p.idle.Add(-1)
	for len(p.given) == 0 && !p.closed {
		if int(p.idle.Load()) == p.workers {
			p.closed = true
			p.changed.Broadcast()
			break
		}
		p.changed.Wait()
	}
	given := p.given
	p.given = nil
	return given
}

// close makes every waiting worker return.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.changed.Broadcast()
}
