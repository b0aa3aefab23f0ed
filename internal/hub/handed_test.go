package hub

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/observe"
)

// patientStore takes games and saves none of them.
type patientStore struct{ *memory }

func (a *patientStore) Keep(ctx context.Context, r *data.Record, _ func()) (bool, error) {
	return a.memory.Keep(ctx, r, func() {})
}

// fullStore can write no games.
type fullStore struct{ *memory }

var errFull = errors.New("the disk is full")

func (fullStore) Keep(context.Context, *data.Record, func()) (bool, error) { return true, errFull }

// A hub whose games cannot be written ends with the first, though no other comes.
func TestGamesThatCannotBeWritten(t *testing.T) {
	o, job := newServer(t), testJob()
	s := &site{Hub: openHub(t, o), keys: o.Keys, server: o.Server, networks: &latest{}}
	s.networks.Store(eval.Untrained())
	ended := make(chan error, 1)
	go func() { ended <- s.Play(t.Context(), job, s.networks, fullStore{newMemory()}, observe.Nobody) }()
	s.await(t, func() bool { return playing(s.Hub).Hash != "" })
	h := s.hostile(t, "a")
	h.hand(t, h.pack(t, honestGame(t, job, h.lease(t, 1).First)))
	select {
	case err := <-ended:
		if !errors.Is(err, errFull) {
			t.Error(err)
		}
	case <-time.After(longest):
		t.Error("it waits for another game")
	}
}

func TestFates(t *testing.T) {
	x := newTransit()
	h := data.Hash{1}
	check := func(what string, want byte, saved, refused bool) {
		t.Helper()
		if got := x.fate(h, 5, saved, refused); got != want {
			t.Errorf("%s: %c, want %c", what, got, want)
		}
	}
	check("the stream has no such message", gone, false, false)
	x.ends(5)
	check("in the stream", onItsWay, false, false)
	x.take(5)
	check("being examined", onItsWay, false, false)
	x.keep(h, true)
	x.leave(5)
	check("waiting for its shard", onItsWay, true, false)
	x.keep(h, false)
	check("saved", inShard, true, false)
	check("refused", refusedGame, false, true)
	check("examined, and nowhere", gone, false, false)
	x = newTransit()
	x.ends(9)
	x.take(6)
	check("passed over", gone, false, false)
	x = newTransit()
	x.ends(9)
	x.past(9)
	check("missing in a stream that is at its end", gone, false, false)
}

// A game is acknowledged when it is in a shard, and not before. If the stream loses it on the way, the worker
// sends it again, and nobody is blamed.
func TestAcknowledgedGamesAreInShards(t *testing.T) {
	store := &patientStore{memory: newMemory()}
	s := newSiteOf(t, testJob(), store, nil)
	var mu sync.Mutex
	acknowledged := map[data.Hash]bool{}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(acknowledged)
	}
	w, err := Dial(t.Context(), WorkerOptions{URL: s.server.URL(), Creds: s.add(t, "a"), Spool: t.TempDir(), Open: open,
		Log: slog.New(slog.DiscardHandler), acknowledged: func(h data.Hash) {
			mu.Lock()
			defer mu.Unlock()
			acknowledged[h] = true
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	stop := play(t, w)
	store.until(t, "10 games", func(games map[data.Hash]*data.Record) bool { return len(games) >= 10 })
	stop()
	w.Flush(t.Context())
	ask := func() error {
		handed := w.spool.handedIn(mostAsked)
		answer, err := w.request(t.Context(), request{HandedIn: handed})
		w.learnFates(handed, answer.Fates)
		return err
	}
	handed := len(w.spool.handedIn(mostAsked))
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 0 || handed < 10 {
		t.Errorf("%d of %d games are acknowledged, and none is saved", n, handed)
	}
	// The hub ends, and the stream loses what it has.
	if err := s.stop(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := s.games.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	later := newMemory()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Play(ctx, testJob(), s.networks, later, observe.Nobody) }()
	sending, stopSending := context.WithCancel(t.Context())
	var senders sync.WaitGroup
	senders.Go(func() { w.send(sending) })
	s.await(t, func() bool {
		return ask() == nil && count() == handed // at first nobody answers
	})
	stopSending()
	senders.Wait()
	cancel()
	<-ended
	later.mu.Lock()
	defer later.mu.Unlock()
	for h := range acknowledged {
		if later.games[h] == nil {
			t.Errorf("%v is acknowledged, and nowhere", h)
		}
	}
	if x := s.activity("a"); x.refused() > 0 {
		t.Errorf("%+v", x)
	}
}
