package eval

import (
	"slices"
	"sync"
)

// Cached returns a back end that caches the evaluations of b. It keeps at least
// the given number of positions, at least 1, that were used last, and at most
// twice that number. All its streams share the cache, which takes about 200 bytes
// per position.
//
// Positions are identified by game.EvalKey, which covers everything that a network
// sees, and by their actions, because a search may leave some of these out. The
// results are those of b.
func Cached(b Backend, positions int) Backend {
	return &cached{Backend: b, size: max(positions, 1), young: map[uint64]evaluation{}}
}

// evaluation is the cached evaluation of a position.
type evaluation struct {
	priors         []float32
	value, stopped float32
}

// cached has two halves. New and reused positions go to the young half. When it is
// full, it replaces the old half, whose positions are dropped.
type cached struct {
	Backend
	size int

	mu         sync.Mutex
	young, old map[uint64]evaluation
}

func (c *cached) Open(batch int) (Stream, error) {
	inner, err := c.Backend.Open(batch)
	if err != nil {
		return nil, err
	}
	return &cachedStream{cache: c, inner: inner}, nil
}

// key identifies position i of a batch and its actions.
func key(b *Batch, i int) uint64 {
	k := b.Position(i).EvalKey()
	for _, a := range b.Legal(i) {
		k = (k ^ uint64(a)) * 0x100000001b3 // as in FNV-1a
	}
	return k
}

func (c *cached) find(key uint64) (evaluation, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.young[key]
	if !ok {
		if e, ok = c.old[key]; ok {
			c.put(key, e)
		}
	}
	return e, ok
}

func (c *cached) remember(key uint64, e evaluation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key, e)
}

func (c *cached) put(key uint64, e evaluation) {
	if len(c.young) >= c.size {
		c.old, c.young = c.young, make(map[uint64]evaluation, c.size)
	}
	c.young[key] = e
}

type cachedStream struct {
	cache   *cached
	inner   Stream
	waiting []*lookup
	spare   []*lookup
}

// lookup is a submitted batch and its positions that are not in the cache.
type lookup struct {
	batch   *Batch
	missing []int // indices of those positions in the batch
	rest    Batch // those positions
}

func (s *cachedStream) Submit(b *Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	l := new(lookup)
	if n := len(s.spare); n > 0 {
		l, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	l.batch, l.missing = b, l.missing[:0]
	l.rest.Reset()
	for i := range b.Len() {
		if e, ok := s.cache.find(key(b, i)); ok {
			copy(b.Priors(i), e.priors)
			b.SetValue(i, e.value)
			b.SetStopped(i, e.stopped)
			continue
		}
		l.missing = append(l.missing, i)
		l.rest.Add(b.Position(i), b.Legal(i))
	}
	if len(l.missing) > 0 {
		if err := s.inner.Submit(&l.rest); err != nil {
			return err
		}
	}
	s.waiting = append(s.waiting, l)
	return nil
}

func (s *cachedStream) Collect() (*Batch, error) {
	if len(s.waiting) == 0 {
		return nil, ErrNothingSubmitted
	}
	l := s.waiting[0]
	s.waiting = s.waiting[:copy(s.waiting, s.waiting[1:])]
	s.spare = append(s.spare, l)
	if len(l.missing) == 0 {
		return l.batch, nil
	}
	if _, err := s.inner.Collect(); err != nil {
		return l.batch, err
	}
	for j, i := range l.missing {
		l.batch.copyFrom(i, &l.rest, j)
		s.cache.remember(key(l.batch, i), evaluation{slices.Clone(l.rest.Priors(j)), l.rest.Value(j), l.rest.Stopped(j)})
	}
	return l.batch, nil
}

func (s *cachedStream) Close() error { return s.inner.Close() }
