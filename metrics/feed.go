package metrics

import "sync"

// A Feed passes published values on to subscribers, which may come and go. It never
// holds up the publisher. The zero Feed is ready to use, and may be used from several
// goroutines. A *Feed[Point] is a [Sink].
type Feed[T any] struct {
	mu          sync.Mutex
	subscribers map[chan T]bool
	latest      T
	published   bool
	closed      bool
}

var _ Sink = (*Feed[Point])(nil)

// Write publishes v. It never blocks: a subscriber whose buffer is full loses its
// oldest value. After Close, Write does nothing. It always returns nil.
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
		default: // the subscriber has received a value in the meantime
		}
		c <- v // does not block, because only the holder of mu sends
	}
	return nil
}

// Subscribe returns a channel that receives the latest value, if there is one, and all
// values published from now on. The channel has a buffer of the given size, at least 1.
// Calling cancel ends the subscription and closes the channel; closing the feed does
// the same.
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
