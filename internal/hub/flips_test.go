package hub

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/observe"
)

// listened keeps the warnings and errors of a log.
type listened struct {
	slog.Handler
	mu    sync.Mutex
	lines []string
}

func (l *listened) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (l *listened) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line(r))
	return nil
}

func (l *listened) said(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.lines, func(line string) bool { return strings.Contains(line, text) })
}

// One bit is flipped in a random file of a hub that was ended with games in transit. The next start either
// refuses in one line or says what is damaged or loses nothing, and in no case is a worker removed. For 200 flips:
//
//	go test ./internal/hub -run FlippedBits -flips 200 -v -timeout 60m
func TestFlippedBits(t *testing.T) {
	base, creds, games := t.TempDir(), []byte(nil), map[data.Hash]bool{}
	network := saved(t, 1)
	creds = unfinished(t, base, network, games)
	var files []string
	err := filepath.WalkDir(filepath.Join(base, "hub"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			info, statErr := e.Info()
			if err = statErr; err == nil && info.Size() > 0 {
				files = append(files, path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(*flips), 3))
	ends := map[string]int{}
	for i := range *flips {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(base, files[rng.IntN(len(files))])
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bit := rng.IntN(8 * len(content))
		content[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Logf("flip %d: bit %d of %s", i, bit, name)
		end := startDamaged(t, dir, creds, network, games)
		ends[strings.SplitN(end, ":", 2)[0]]++
		t.Log(end)
		os.RemoveAll(dir)
	}
	t.Logf("%d flips in %d files: %v", *flips, len(files), ends)
}

// unfinished runs a hub in dir until some games are in transit and not in shards. Their hashes come into games.
// It returns the credential of the worker, whose spool is in dir too.
func unfinished(t *testing.T, dir string, network *eval.Network, games map[data.Hash]bool) (creds []byte) {
	t.Helper()
	keys, err := OpenKeys(filepath.Join(dir, "hub"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := Serve(keys, ServerOptions{Listen: "nats://127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	h, err := Open(t.Context(), Options{Keys: keys, Server: server, Open: open})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	authority, err := keys.Authority()
	if err == nil {
		creds, err = keys.Add("a", 4, authority)
	}
	if err != nil {
		t.Fatal(err)
	}
	networks := &latest{}
	networks.Store(network)
	store := &patientStore{memory: newMemory()}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Play(ctx, testJob(), networks, store, observe.Nobody) }()
	w, err := Dial(t.Context(), WorkerOptions{URL: server.URL(), Creds: creds, Spool: filepath.Join(dir, "spool"), Open: open})
	if err != nil {
		t.Fatal(err)
	}
	stop := play(t, w)
	store.until(t, "10 games", func(games map[data.Hash]*data.Record) bool { return len(games) >= 10 })
	stop()
	w.Flush(t.Context())
	store.mu.Lock() // the hub still takes what is on its way
	for _, g := range w.spool.handedIn(mostAsked) {
		for h := range store.games {
			if h.String() == g.Hash {
				games[h] = true
			}
		}
	}
	store.mu.Unlock()
	w.Close()
	cancel()
	<-ended
	if len(games) < 10 {
		t.Fatalf("%d games are in transit", len(games))
	}
	return creds
}

// startDamaged starts the hub in dir and lets its worker finish what it had begun. It returns how it ended: refused
// with an error, reported in the log, or harmless.
func startDamaged(t *testing.T, dir string, creds []byte, network *eval.Network, games map[data.Hash]bool) (end string) {
	t.Helper()
	log := &listened{}
	refused := func(err error) string {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("more than a line: %v", err)
		}
		return "refused: " + err.Error()
	}
	keys, err := OpenKeys(filepath.Join(dir, "hub"))
	if err != nil {
		return refused(err)
	}
	server, err := Serve(keys, ServerOptions{Listen: "nats://127.0.0.1:0", Log: slog.New(log)})
	if err != nil {
		return refused(err)
	}
	defer server.Close()
	h, err := Open(t.Context(), Options{Keys: keys, Server: server, Open: open, Log: slog.New(log)})
	if err != nil {
		return refused(err)
	}
	defer h.Close()
	networks := &latest{}
	networks.Store(network)
	store := newMemory()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Play(ctx, testJob(), networks, store, observe.Nobody) }()
	s := &site{Hub: h, keys: keys, server: server, store: store}
	dialled, stopDialling := context.WithTimeout(t.Context(), longest)
	defer stopDialling()
	w, err := Dial(dialled, WorkerOptions{URL: server.URL(), Creds: creds, Spool: filepath.Join(dir, "spool"), Open: open, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Errorf("the worker: %v; the hub says %q", err, log.lines)
		cancel()
		<-ended
		return "stuck"
	}
	defer w.Close()
	defer func() {
		if t.Failed() {
			t.Logf("%d games have come; the hub says %q; %+v; %+v", len(store.games), log.lines, s.activity("a"), w.Condition())
		}
	}()
	stop := play(t, w)
	s.await(t, func() bool {
		x := s.activity("a")
		store.mu.Lock()
		defer store.mu.Unlock()
		for h := range games {
			if store.games[h] == nil {
				return len(ended) > 0 || x.refused() > 0
			}
		}
		return len(store.games) >= len(games)+2 // and it continues
	})
	stop()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		return refused(err)
	}
	if c, err := keys.load("a"); err != nil || c.Removed != nil {
		t.Errorf("the worker has been removed: %+v, %v", c, err)
	}
	if len(log.lines) > 0 {
		return "reported: " + log.lines[0]
	}
	return "harmless"
}
