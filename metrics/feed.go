package metrics

import "sync"

// A Feed passes published values on to subscribers that come and go, while the
// run goes on whether anybody listens or not. The zero Feed is ready to use,
// from several goroutines; a *Feed[Point] is a [Sink].
type Feed[T any] struct {
	mu          sync.Mutex
	subscribers map[chan T]bool
	latest      T
	published   bool
	closed      bool
}

var _ Sink = (*Feed[Point])(nil)

// Write publishes v. It never waits: a subscriber whose buffer is full loses
// its oldest value. After Close it does nothing.
func (f *Feed[T]) Write(v T) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.latest, f.published = v, true
	for c := range f.subscribers {
		select {
		case c <- v:
			continue
		default:
		}
		select {
		case <-c:
		default: // the subscriber took one meanwhile
		}
		c <- v // there is room: only the holder of mu sends
	}
	return nil
}

// Subscribe returns a channel of the values published from now on, beginning
// with the latest one if there is any, with room for buffer of them (at least
// 1). Cancel ends the subscription; it, or the feed's Close, closes the channel.
func (f *Feed[T]) Subscribe(buffer int) (values <-chan T, cancel func()) {
	c := make(chan T, max(1, buffer))
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.published {
		c <- f.latest
	}
	if f.closed {
		close(c)
		return c, func() {}
	}
	if f.subscribers == nil {
		f.subscribers = map[chan T]bool{}
	}
	f.subscribers[c] = true
	return c, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.subscribers[c] {
			delete(f.subscribers, c)
			close(c)
		}
	}
}

// Close ends all subscriptions. It returns nil.
func (f *Feed[T]) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for c := range f.subscribers {
		close(c)
	}
	f.subscribers = nil
	return nil
}
