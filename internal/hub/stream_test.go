package hub

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// Games that are in shards leave the stream.
func TestAcknowledgedGamesAreCleared(t *testing.T) {
	s := newSite(t, testJob(), nil)
	w := s.dial(t, "worker", t.TempDir())
	stop := play(t, w)
	s.await(t, func() bool { return s.activity("worker").Games > 20 })
	stop()
	w.Flush(t.Context())
	s.await(t, func() bool {
		info, err := s.games.Info(t.Context())
		return err == nil && info.State.Msgs == 0 && info.State.FirstSeq > 20
	})
	s.transit.mu.Lock()
	defer s.transit.mu.Unlock()
	if n := len(s.transit.taken) + len(s.transit.keeping); n > 0 {
		t.Errorf("%d games are still followed", n)
	}
}

// A hub replaces the work queue of earlier versions, but not with games in it.
func TestWorkQueueIsReplaced(t *testing.T) {
	o := newServer(t)
	h, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.js.DeleteStream(t.Context(), gamesStream); err != nil {
		t.Fatal(err)
	}
	old := gamesConfig(&h.o)
	old.Retention = jetstream.WorkQueuePolicy
	queue, err := h.js.CreateStream(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.js.Publish(t.Context(), gameSubject+".someone", []byte("a game")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "1 games of an earlier version are in transit") {
		t.Errorf("with a game in the queue: %v", err)
	}
	if err := queue.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if now := again.games.CachedInfo().Config.Retention; now != jetstream.LimitsPolicy {
		t.Errorf("the stream is kept by %v", now)
	}
}
