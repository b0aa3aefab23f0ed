package hub

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/data"
	"warren/eval"
	"warren/watch"
)

// A cluster of three survives the loss of one node, and of another after the first is back.
func TestClusterSurvivesTheLossOfANode(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	keys, err := OpenKeys(filepath.Join(t.TempDir(), "hub"))
	if err != nil {
		t.Fatal(err)
	}
	var clients, routes []string
	for range 3 {
		clients = append(clients, "nats://"+freeAddress(t))
		routes = append(routes, "nats://"+freeAddress(t))
	}
	nodes := make([]*Server, 3)
	stores := t.TempDir()
	start := func(i int) {
		s, err := Serve(keys, ServerOptions{Listen: clients[i], Name: fmt.Sprint("node", i), Cluster: routes[i], Routes: routes,
			Store: filepath.Join(stores, fmt.Sprint(i))})
		if err != nil {
			t.Fatal(err)
		}
		nodes[i] = s
	}
	for i := range nodes {
		start(i)
	}
	t.Cleanup(func() {
		for _, n := range nodes {
			n.Close()
		}
	})
	authority, err := keys.Authority()
	if err != nil {
		t.Fatal(err)
	}
	creds, err := keys.Add("a", 4, authority)
	if err != nil {
		t.Fatal(err)
	}
	url := strings.Join(clients, ",")
	var h *Hub
	(&site{}).await(t, func() bool { // until the nodes have elected a leader
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		h, err = Open(ctx, Options{Keys: keys, URL: url, Replicas: 3, Open: open})
		return err == nil
	})
	defer h.Close()
	networks, archive := &latest{}, newMemory()
	networks.Store(eval.Untrained())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Play(ctx, testJob(), networks, archive, watch.Nobody) }()
	(&site{}).await(t, func() bool { return h.known.playing().Hash != "" })
	acked := make(chan data.Hash, 1<<16)
	w, err := Dial(t.Context(), WorkerOptions{URL: url, Creds: creds, Open: open, Acknowledged: func(h data.Hash) { acked <- h }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	stop := play(t, w)
	more := func(what string) {
		t.Helper()
		n := 0
		archive.mu.Lock()
		before := len(archive.games)
		archive.mu.Unlock()
		archive.until(t, what, func(games map[data.Hash]*data.Record) bool { n = len(games); return n >= before+30 })
		t.Logf("%s: %d games", what, n)
	}
	more("all three nodes")
	nodes[0].Close()
	more("without the first")
	start(0)
	(&site{}).await(t, func() bool {
		info, err := h.games.Info(t.Context())
		if err != nil || info.Cluster == nil || len(info.Cluster.Replicas) != 2 {
			return false
		}
		for _, r := range info.Cluster.Replicas {
			if !r.Current || r.Offline {
				return false
			}
		}
		return true
	})
	nodes[1].Close()
	more("without the second")
	start(1)
	stop()
	w.Flush(t.Context())
	close(acked)
	var hashes []data.Hash
	for h := range acked {
		hashes = append(hashes, h)
	}
	archive.until(t, "every acknowledged game", func(games map[data.Hash]*data.Record) bool {
		return !slices.ContainsFunc(hashes, func(h data.Hash) bool { return games[h] == nil })
	})
	t.Logf("%d games were acknowledged, and all of them have come", len(hashes))
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the hub ended with %v", err)
	}
}
