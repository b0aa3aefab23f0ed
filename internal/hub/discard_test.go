package hub

import (
	"errors"
	"log/slog"
	"os"
	"slices"
	"testing"

	"warren/data"
)

// The games of a removed worker, and no others, leave the window when that is asked for.
func TestDiscardedWorker(t *testing.T) {
	s := newSite(t, testJob(), nil)
	stopA, stopB := play(t, s.dial(t, "a", "")), play(t, s.dial(t, "b", ""))
	s.store.until(t, "60 games", func(games map[data.Hash]*data.Record) bool {
		return s.activity("a").Games > 20 && s.activity("b").Games > 20
	})
	stopA()
	stopB()
	account := s.workerAccountOf(t, "a")
	if err := s.keys.Discard("a"); err == nil {
		t.Error("the games of a worker that still plays are discarded")
	}
	if err := s.keys.Remove("a", "in a test"); err != nil {
		t.Fatal(err)
	}
	if err := s.keys.Discard("a"); err != nil {
		t.Fatal(err)
	}
	s.await(t, func() bool {
		c, err := s.keys.load("a")
		return err == nil && c.Discarded != nil
	})
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	discarded := func(number uint64) bool {
		return slices.ContainsFunc(s.store.discarded, func(r data.Range) bool { return number >= r.First && number < r.First+uint64(r.Count) })
	}
	n := 0
	for _, r := range s.store.games {
		if want := s.leases.allows(account, r.Game); discarded(r.Game) != want {
			t.Errorf("game %d: discarded is %v, want %v", r.Game, !want, want)
		} else if want {
			n++
		}
	}
	if n < 20 || n > len(s.store.games)-20 {
		t.Errorf("%d of %d games are discarded", n, len(s.store.games))
	}
}

// What could not be written down is done again, and whoever reads the list at that time is not disturbed.
func TestDiscardThatCannotBeWritten(t *testing.T) {
	k, err := OpenKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(k.workers())
	if err != nil {
		t.Fatal(err)
	}
	c := &Credential{Name: "missing/a", Account: "A", Discard: true} // its directory does not exist
	k.list, k.listed = []*Credential{c}, info.ModTime()
	h := &Hub{o: Options{Keys: k, Log: slog.New(slog.DiscardHandler)}, leases: newLeases(k.dir)}
	for range 2 {
		if err := h.discard(newMemory()); err == nil || c.Discarded != nil {
			t.Errorf("the games of %+v are discarded: %v", c, err)
		}
	}
}

// The name of a worker is not free while its games are still to be discarded: the new worker's file has no place for that.
func TestNameOfADiscardedWorker(t *testing.T) {
	k, err := OpenKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Add("a", 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(k.Remove("a", ""), k.Discard("a")); err != nil {
		t.Fatal(err)
	}
	if err := k.Free("a"); err == nil {
		t.Error("the name is free")
	}
}

// A worker's games are also those of earlier workers of its name.
func TestDiscardedName(t *testing.T) {
	k, err := OpenKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := reopened(t, k.dir, 0, func(uint64) bool { return false })
	for _, name := range []string{"a", "b", "a"} {
		_, err := k.Add(name, 1, nil)
		c, failed := k.load(name)
		if err := errors.Join(err, failed, k.Remove(name, "in a test")); err != nil {
			t.Fatal(err)
		}
		if _, n, err := l.give(c.Account, "one", 0, 10, 10, 0); err != nil || n != 10 {
			t.Fatal(n, err)
		}
	}
	store, h := newMemory(), &Hub{o: Options{Keys: k, Log: slog.New(slog.DiscardHandler)}, leases: l}
	if err := errors.Join(k.Discard("a"), h.discard(store)); err != nil {
		t.Fatal(err)
	}
	if want := []data.Range{{First: 0, Count: 10}, {First: 20, Count: 10}}; !slices.Equal(store.discarded, want) {
		t.Errorf("discarded are %v, want %v", store.discarded, want)
	}
}
