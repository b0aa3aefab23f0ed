package hub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"warren/data"
)

func TestSpoolKeepsGamesUntilTheyAreAcknowledged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	s, err := openSpool(dir, 100, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	var hashes []data.Hash
	for n := range uint64(4) {
		r := honestGame(t, testJob(), n)
		hashes = append(hashes, r.Hash())
		if err := s.Put(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := openSpool(dir, 100, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "another worker") {
		t.Errorf("a second worker in the spool: %v", err)
	}
	for i, err := range []error{nil, nil, errors.New("cut off")} {
		p, ok := s.next(t.Context())
		if !ok || p.hash != hashes[i] {
			t.Fatalf("game %d: %v, %v", i, p.hash, ok)
		}
		s.done(p, uint64(i), err)
	}
	if n, unsaved := s.size(), s.unsaved(); n != 2 || unsaved != 2 {
		t.Errorf("%d games wait and %d are sent, want 2 and 2", n, unsaved)
	}
	// Of two that the stream has taken, one is saved.
	var acknowledged []data.Hash
	list := []handedIn{{hashes[0].String(), 0}, {hashes[1].String(), 1}}
	if got := s.handedIn(5); len(got) != 2 || !slices.Contains(got, list[0]) || !slices.Contains(got, list[1]) {
		t.Errorf("the stream has taken %v, want %v", got, list)
	}
	if err := s.settle(list, "sw", func(h data.Hash) { acknowledged = append(acknowledged, h) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(acknowledged, hashes[:1]) {
		t.Errorf("acknowledged are %v", acknowledged)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	// A process that is killed leaves files; of these one is cut short, and one is another's.
	if err := os.Truncate(s.path(hashes[1]), 100); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.path(hashes[2]), s.path(data.Hash{1})); err != nil {
		t.Fatal(err)
	}
	// A program of another version has left games there, which a hub of that version would take. One line says so.
	plain, err := honestGame(t, testJob(), 9).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range byte(3) {
		older := s.packer.out.EncodeAll(fmt.Appendf(nil, "warren game %d\n%s", Format-1, plain), nil)
		if err := os.WriteFile(s.path(data.Hash{9, i}), older, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	log := &listened{}
	s, err = openSpool(dir, 100, slog.New(log))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for i := range byte(3) {
		if _, err := os.Stat(s.path(data.Hash{9, i})); err != nil {
			t.Errorf("a game of the other version is gone: %v", err)
		}
	}
	if len(log.lines) != 3 || !log.said("delete them if the learner has been upgraded games=3") { // and one for each that is damaged
		t.Errorf("the spool says %q", log.lines)
	}
	p, ok := s.next(t.Context())
	if !ok || p.hash != hashes[3] || s.size() != 1 {
		t.Fatalf("after a restart: %v, %v, and %d games", p.hash, ok, s.size())
	}
	message, err := s.content(p)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.packer.unpack(message)
	if err != nil || r.Hash() != hashes[3] || r.Validate() != nil {
		t.Errorf("the game is not what was put: %v", err)
	}
	damaged, err := filepath.Glob(filepath.Join(dir, "*.damaged"))
	if err != nil || len(damaged) != 2 {
		t.Errorf("set aside: %v, %v", damaged, err)
	}
}

// A game that the stream has lost is sent again, one that was refused is forgotten, and neither counts as
// acknowledged.
func TestLostGamesAreSentAgain(t *testing.T) {
	for name, dir := range map[string]string{"on disk": t.TempDir(), "in memory": ""} {
		s, err := openSpool(dir, 100, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		for n := range uint64(2) {
			if err := s.Put(t.Context(), honestGame(t, testJob(), n)); err != nil {
				t.Fatal(err)
			}
		}
		var sent []parcel
		var messages [2][]byte
		for i := range 2 {
			p, _ := s.next(t.Context())
			sent = append(sent, p)
			if messages[i], err = s.content(p); err != nil {
				t.Fatal(err)
			}
			s.done(p, uint64(i), nil)
		}
		list := []handedIn{{sent[0].hash.String(), 0}, {sent[1].hash.String(), 1}}
		if err := s.settle(list, "gr", func(h data.Hash) { t.Errorf("%s: %v is acknowledged", name, h) }); err != nil {
			t.Fatal(err)
		}
		if left := s.handedIn(5); len(left) > 0 || s.size() != 1 {
			t.Errorf("%s: %v are asked after, and %d games wait", name, left, s.size())
		}
		p, _ := s.next(t.Context())
		message, err := s.content(p)
		if err != nil || p.hash != sent[0].hash || p.lost != 1 || !slices.Equal(message, messages[0]) {
			t.Errorf("%s: the game sent again is %v, lost %d times, %v", name, p.hash, p.lost, err)
		}
	}
}

// A game whose file is damaged while it waits is set aside and not sent.
func TestDamageInTheSpool(t *testing.T) {
	s, err := openSpool(t.TempDir(), 100, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	r := honestGame(t, testJob(), 1)
	if err := s.Put(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	message, err := os.ReadFile(s.path(r.Hash()))
	if err != nil {
		t.Fatal(err)
	}
	message[len(message)/2] ^= 4
	other, err := s.packer.pack(honestGame(t, testJob(), 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range [][]byte{other, message} {
		if err := os.WriteFile(s.path(r.Hash()), content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := s.content(s.waiting[0]); !errors.Is(err, errOther) {
			t.Errorf("another game is read: %v", err)
		}
	}
	p, _ := s.next(t.Context())
	_, err = s.content(p)
	s.done(p, 0, err)
	if _, err := os.Stat(s.path(r.Hash()) + ".damaged"); err != nil || s.size() != 0 {
		t.Errorf("%d games wait, %v", s.size(), err)
	}
}

// What a killed worker has left of its networks is gone when the next one starts.
func TestNetworksOfAKilledWorkerGo(t *testing.T) {
	spool := t.TempDir()
	for range 2 {
		dir, err := networksIn(spool)
		if err != nil {
			t.Fatal(err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Fatalf("the directory holds %v, %v", entries, err)
		}
		if err := os.WriteFile(filepath.Join(dir, "network"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := os.ReadDir(spool); err != nil || len(entries) != 1 {
		t.Errorf("the spool holds %v, %v", entries, err)
	}
}

// So is what a killed learner has left of networks with which it replayed games.
func TestNetworksOfAKilledLearnerGo(t *testing.T) {
	s := newSite(t, testJob(), nil)
	left, err := networksIn(s.keys.dir)
	if err == nil {
		err = os.WriteFile(filepath.Join(left, "network"), nil, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&opener{hub: s.Hub}).open(t.Context(), current{Hash: "unknown", Generation: 1}); err == nil {
		t.Error("an unknown network is opened")
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", left, err)
	}
}

// Put waits at the bound, but not when the context has ended.
func TestSpoolIsBounded(t *testing.T) {
	s, err := openSpool("", 2, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r := honestGame(t, testJob(), 1)
	if err := s.Put(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	put := make(chan error, 1)
	go func() { put <- s.Put(ctx, r) }()
	for s.size() < 2 {
		runtime.Gosched()
	}
	select {
	case <-put:
		t.Error("Put does not wait at the bound")
	default:
	}
	cancel()
	if err := <-put; err != nil {
		t.Error(err)
	}
}

// A game that cannot be read or sent does not keep the others back.
func TestSpoolGoesOnPastAGame(t *testing.T) {
	dir := t.TempDir()
	s, err := openSpool(dir, 100, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(2) {
		if err := s.Put(t.Context(), honestGame(t, testJob(), n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if s, err = openSpool(dir, 100, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	gone := s.waiting[0]
	if err := os.Remove(s.path(gone.hash)); err != nil {
		t.Fatal(err)
	}
	for _, readable := range []bool{false, true} {
		p, _ := s.next(t.Context())
		_, err := s.content(p)
		if (err == nil) != readable {
			t.Fatalf("game %v of %d: %v", p.hash, s.size(), err)
		}
		s.done(p, 1, err)
	}
}

// A game whose file has been deleted is given up, or a worker would never end.
func TestDeletedGameIsGivenUp(t *testing.T) {
	s, err := openSpool(filepath.Join(t.TempDir(), "spool"), 100, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := s.Put(t.Context(), honestGame(t, testJob(), 1)); err != nil {
		t.Fatal(err)
	}
	p, _ := s.next(t.Context())
	if err := os.Remove(s.path(p.hash)); err != nil {
		t.Fatal(err)
	}
	_, err = s.content(p)
	if s.done(p, 0, err); err == nil || s.size() > 0 {
		t.Errorf("%v, and %d games are still to be sent", err, s.size())
	}
}
