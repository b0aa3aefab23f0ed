package hub

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/observe"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// node is an outside nats-server in a process of its own.
type node struct {
	t      *testing.T
	config string // path
	cmd    *exec.Cmd
}

// natsChild is nats-server -c, as its own main function has it.
func natsChild(ctx context.Context, c childConfig) error {
	options, err := server.ConfigureOptions(flag.NewFlagSet("nats-server", flag.ContinueOnError), []string{"-c", c.Config}, nil, nil, nil)
	if err != nil {
		return err
	}
	s, err := server.NewServer(options)
	if err != nil {
		return err
	}
	if err := server.Run(s); err != nil {
		return err
	}
	<-ctx.Done()
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

// newNode writes the configuration of a node and starts it. With -nats-server it is that program.
func newNode(t *testing.T, keys *Keys, o NodeOptions) *node {
	t.Helper()
	content, err := keys.NodeConfig(o)
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, config: filepath.Join(t.TempDir(), "nats.conf")}
	if err := os.WriteFile(n.config, content, 0o600); err != nil {
		t.Fatal(err)
	}
	n.start()
	t.Cleanup(n.kill)
	return n
}

func (n *node) start() {
	n.t.Helper()
	n.cmd = child(n.t, "nats", childConfig{Config: n.config})
	if *natsServer != "" {
		n.cmd = exec.Command(*natsServer, "-c", n.config)
	}
	if err := n.cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
}

func (n *node) kill() {
	n.cmd.Process.Kill()
	n.cmd.Wait()
}

// outside opens a hub on outside servers and lets it play with one worker.
type outside struct {
	*site
	worker *Worker
	creds  []byte
	acked  chan data.Hash
	ended  chan error // of the hub
}

func openOutside(t *testing.T, keys *Keys, url string, replicas int) *outside {
	t.Helper()
	authority, err := keys.Authority()
	if err != nil {
		t.Fatal(err)
	}
	creds, err := keys.Add("a", 4, authority)
	if err != nil {
		t.Fatal(err)
	}
	o := &outside{site: &site{keys: keys, store: newMemory(), networks: &latest{}}, creds: creds, acked: make(chan data.Hash, 1<<16), ended: make(chan error, 1)}
	var h *Hub
	o.await(t, func() bool { // until the servers listen, and a cluster has elected a leader
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		h, err = Open(ctx, Options{Keys: keys, URL: url, Replicas: replicas, Open: open})
		return err == nil
	})
	t.Cleanup(h.Close)
	o.Hub = h
	o.networks.Store(eval.Untrained())
	ctx, cancel := context.WithCancel(context.Background())
	go func() { o.ended <- h.Play(ctx, testJob(), o.networks, o.store, observe.Nobody) }()
	t.Cleanup(func() {
		cancel()
		if err := <-o.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the hub ended with %v", err)
		}
	})
	o.await(t, func() bool { return playing(h).Hash != "" })
	o.worker, err = Dial(t.Context(), WorkerOptions{URL: url, Creds: creds, Open: open, acknowledged: func(h data.Hash) { o.acked <- h }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.worker.Close() })
	o.site.stop = play(t, o.worker)
	return o
}

// more waits for games.
func (o *outside) more(t *testing.T, what string) {
	t.Helper()
	n := 0
	o.store.mu.Lock()
	before := len(o.store.games)
	o.store.mu.Unlock()
	o.store.until(t, what, func(games map[data.Hash]*data.Record) bool { n = len(games); return n >= before+30 })
	t.Logf("%s: %d games", what, n)
}

// complete stops the worker and checks that every acknowledged game has come.
func (o *outside) complete(t *testing.T) {
	t.Helper()
	o.site.stop()
	o.worker.Flush(t.Context())
	close(o.acked)
	var hashes []data.Hash
	for h := range o.acked {
		hashes = append(hashes, h)
	}
	o.store.until(t, "every acknowledged game", func(games map[data.Hash]*data.Record) bool {
		return !slices.ContainsFunc(hashes, func(h data.Hash) bool { return games[h] == nil })
	})
	t.Logf("%d games were acknowledged, and all of them have come", len(hashes))
}

// An outside server with the configuration that train server writes is a hub like the embedded one:
// it survives kill -9, and learns of the workers that are added and removed.
func TestOutsideServer(t *testing.T) {
	keys, err := OpenKeys(filepath.Join(t.TempDir(), "hub"))
	if err != nil {
		t.Fatal(err)
	}
	url := "nats://" + freeAddresses(t, 1)[0]
	n := newNode(t, keys, NodeOptions{Listen: url, Store: t.TempDir()})
	o := openOutside(t, keys, url, 1)
	o.more(t, "a server")
	n.kill()
	n.start()
	o.more(t, "after it was killed")
	o.complete(t)
	if err := keys.Remove("a", "in a test"); err != nil {
		t.Fatal(err)
	}
	o.await(t, func() bool {
		w, err := Dial(t.Context(), WorkerOptions{URL: url, Creds: o.creds, Open: open})
		if err == nil {
			w.Close()
		}
		return errors.Is(err, ErrCredential)
	})
	authority, err := keys.Authority()
	if err != nil {
		t.Fatal(err)
	}
	secure, err := clientTLS(authority)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := nats.Connect(url, nats.Secure(secure)); err == nil {
		c.Close()
		t.Error("a connection without a credential is accepted")
	}
}

// outsideServer starts an outside server for the hub of new keys.
func outsideServer(t *testing.T) (keys *Keys, url string, authority []byte) {
	t.Helper()
	keys, err := OpenKeys(filepath.Join(t.TempDir(), "hub"))
	if err != nil {
		t.Fatal(err)
	}
	url = "nats://" + freeAddresses(t, 1)[0]
	newNode(t, keys, NodeOptions{Listen: url, Store: t.TempDir()})
	if authority, err = keys.Authority(); err != nil {
		t.Fatal(err)
	}
	return keys, url, authority
}

// A worker that was removed while no hub was at work stays out of an outside server, also when its name
// belongs to another worker by then.
func TestOutsideServerLearnsOfNamesUsedAgain(t *testing.T) {
	keys, url, authority := outsideServer(t)
	var err error
	s := &site{keys: keys}
	var creds [3][]byte
	for i := range creds {
		if i > 0 {
			if err := keys.Remove("a", "in a test"); err != nil {
				t.Fatal(err)
			}
		}
		if creds[i], err = keys.Add("a", 2, authority); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			continue // no hub hears of this one
		}
		s.await(t, func() bool { // until the server listens
			s.Hub, err = Open(t.Context(), Options{Keys: keys, URL: url, Open: open})
			return err == nil
		})
		s.Close()
	}
	for i, c := range creds {
		w := &Worker{o: WorkerOptions{URL: url, Creds: c, Log: slog.New(slog.DiscardHandler)}, closed: make(chan struct{})}
		err := w.connect(t.Context())
		if err == nil {
			w.Close()
		}
		if may := i == 2; may != (err == nil) || !may && !errors.Is(err, ErrCredential) {
			t.Errorf("worker %d: %v", i+1, err)
		}
	}
}

// A hub that cannot reach its outside server tells it later who may connect.
func TestOutsideServerIsToldLater(t *testing.T) {
	keys, url, authority := outsideServer(t)
	var err error
	s := &site{keys: keys}
	s.await(t, func() bool { // until the server listens
		s.Hub, err = Open(t.Context(), Options{Keys: keys, URL: url, Open: open})
		return err == nil
	})
	t.Cleanup(s.Close)
	creds, err := keys.Add("a", 2, authority)
	if err != nil {
		t.Fatal(err)
	}
	s.system.Close()
	if err := s.refresh(); err == nil {
		t.Fatal("nothing is wrong without a connection")
	}
	if s.system, err = s.connect(t.Context(), "system", s.keys.system); err != nil {
		t.Fatal(err)
	}
	if err := s.refresh(); err != nil {
		t.Fatal(err)
	}
	w := &Worker{o: WorkerOptions{URL: url, Creds: creds, Log: slog.New(slog.DiscardHandler)}, closed: make(chan struct{})}
	if err := w.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Close()
}

// A cluster of three survives the loss of one node, and of another after the first is back. The nodes
// are processes that are killed.
func TestClusterSurvivesTheLossOfANode(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	keys, err := OpenKeys(filepath.Join(t.TempDir(), "hub"))
	if err != nil {
		t.Fatal(err)
	}
	var clients, routes []string
	for i, address := range freeAddresses(t, 6) {
		if url := "nats://" + address; i < 3 {
			clients = append(clients, url)
		} else {
			routes = append(routes, url)
		}
	}
	var nodes []*node
	for i := range 3 {
		nodes = append(nodes, newNode(t, keys, NodeOptions{Listen: clients[i], Store: t.TempDir(), Name: fmt.Sprint("node", i), Cluster: routes[i], Routes: routes}))
	}
	o := openOutside(t, keys, strings.Join(clients, ","), 3)
	o.more(t, "all three nodes")
	nodes[0].kill()
	o.more(t, "without the first")
	nodes[0].start()
	o.await(t, func() bool {
		info, err := o.games.Info(t.Context())
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
	nodes[1].kill()
	o.more(t, "without the second")
	nodes[1].start()
	o.complete(t)
}
