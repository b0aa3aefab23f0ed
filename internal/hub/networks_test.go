package hub

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/internal/eval"
)

// openHub connects a hub that ends with the test to a server.
func openHub(t *testing.T, o Options) *Hub {
	t.Helper()
	h, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// publish publishes a network as a hub at play does.
func publish(t *testing.T, p *publisher, n *eval.Network) {
	t.Helper()
	p.networks.(*latest).Store(n)
	if err := p.publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	fetched(t, p.hub, n.Hash)
}

// fetched checks that workers can fetch a network.
func fetched(t *testing.T, h *Hub, name string) {
	t.Helper()
	if _, err := object(t.Context(), h.conn, name); err != nil {
		t.Errorf("%.12s cannot be fetched: %v", name, err)
	}
}

func fileSize(t *testing.T, n *eval.Network) int64 {
	t.Helper()
	info, err := os.Stat(n.Origin.Path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// The store has room for 21 of these networks, and takes any number of them, for self-play and for
// matches, and what writes that were broken off have left is no burden.
func TestStoreTakesAnyNumberOfNetworks(t *testing.T) {
	o := newServer(t)
	size := fileSize(t, saved(t, 1))
	o.networkBytes = 21 * size
	for seed := uint64(1); seed < 60; {
		h := openHub(t, o)
		for range max(0, 4-int(seed)) { // not the second time, when the store is full
			if _, err := h.js.Publish(t.Context(), "$O."+networksStore+".C.broken"+t.Name(), make([]byte, size)); err != nil {
				t.Fatal(err)
			}
		}
		p := &publisher{hub: h, networks: &latest{}}
		for range 30 {
			publish(t, p, saved(t, seed))
			n := saved(t, 1000+seed)
			if err := h.networks.put(t.Context(), &h.networks.match, n); err != nil {
				t.Fatal(err)
			}
			fetched(t, h, matchPrefix+n.Hash)
			seed++
		}
		for _, x := range []uint64{seed - 2, seed - 10} { // networks that a worker may still be fetching
			fetched(t, h, saved(t, x).Hash)
		}
		h.Close()
	}
}

// The store grows if the networks are very large, and stays as large.
func TestStoreGrowsForVeryLargeNetworks(t *testing.T) {
	o := newServer(t)
	o.networkBytes = fileSize(t, saved(t, 1)) / 2
	for seed := uint64(1); seed < 6; {
		h := openHub(t, o)
		p := &publisher{hub: h, networks: &latest{}}
		for range 3 {
			publish(t, p, saved(t, seed))
			seed++
		}
		fetched(t, h, saved(t, seed-2).Hash)
		for _, x := range []uint64{10, 11} { // two that play a match
			if err := h.networks.put(t.Context(), &h.networks.match, saved(t, x)); err != nil {
				t.Fatal(err)
			}
			fetched(t, h, matchPrefix+saved(t, x).Hash)
		}
		h.Close()
	}
}

// A network that cannot be published now is published later, to the embedded server and to an outside one.
func TestNetworkIsPublishedLater(t *testing.T) {
	for _, outside := range []bool{false, true} {
		o := newServer(t)
		out, in := io.Pipe()
		o.Log = slog.New(slog.NewTextHandler(in, nil))
		h := openHub(t, o)
		if outside {
			h.o.Server = nil // as if it were
		}
		n := saved(t, 1)
		away := n.Origin.Path + ".away" // instead of a server that does not answer
		if err := os.Rename(n.Origin.Path, away); err != nil {
			t.Fatal(err)
		}
		p := &publisher{hub: h, networks: &latest{}}
		p.networks.(*latest).Store(n)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- p.run(ctx)
			in.Close()
		}()
		lines := bufio.NewScanner(out)
		if !lines.Scan() || !strings.Contains(lines.Text(), "cannot be published yet") {
			cancel()
			t.Fatalf("it ended with %v, or says %q", <-ended, lines.Text())
		}
		go io.Copy(io.Discard, out)
		if err := os.Rename(away, n.Origin.Path); err != nil {
			t.Fatal(err)
		}
		(&site{}).await(t, func() bool { return playing(h).Hash == n.Hash })
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// A network that could not be written down, as on a full disk, is written down before it is published: the next process
// would refuse the games of a network that it does not know.
func TestPublishedNetworkIsWrittenDown(t *testing.T) {
	o := newServer(t)
	h := openHub(t, o)
	h.known.close()
	p := &publisher{hub: h, networks: &latest{}}
	n := saved(t, 1)
	p.networks.(*latest).Store(n)
	for range 2 {
		if err := p.publish(t.Context()); err == nil {
			t.Error("a network is published that cannot be written down")
		}
	}
	var err error
	if h.known.journal, err = openJournal(filepath.Join(o.Keys.dir, publishedFile)); err != nil {
		t.Fatal(err)
	}
	publish(t, p, n)
	again, _, err := openKnown(o.Keys.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer again.close()
	if !again.network(n.Hash, n.Origin.Generation) {
		t.Error("the next process does not know the network")
	}
}

// A network that is that of very many generations takes no more memory than that of many.
func TestGenerationsOfANetworkAreBounded(t *testing.T) {
	k, _, err := openKnown(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	for generation := range 1000 {
		k.addNetwork(current{Hash: "a", Generation: generation})
	}
	k.addNetwork(current{Hash: "a", Generation: 998}) // published again
	if n := len(k.generations["a"]); n != sameNetworks || !k.network("a", 998) || !k.network("a", 999) || k.network("a", 0) {
		t.Errorf("%d generations: %v", n, k.generations["a"])
	}
}

// A network that is damaged in the store, or there only in part, is stored again by the next process.
func TestDamagedNetworkIsStoredAgain(t *testing.T) {
	o := newServer(t)
	n := saved(t, 1)
	for range 2 {
		h := openHub(t, o)
		publish(t, &publisher{hub: h, networks: &latest{}}, n) // which fetches it, too
		subject := pieceSubject(h.networks.play.list[0].nuid)
		m, err := h.networks.stream.GetLastMsgForSubject(t.Context(), subject)
		if err != nil {
			t.Fatal(err)
		}
		m.Data[len(m.Data)/2] ^= 1
		if err := h.networks.stream.DeleteMsg(t.Context(), m.Sequence); err != nil {
			t.Fatal(err)
		}
		if _, err := h.js.Publish(t.Context(), subject, m.Data); err != nil {
			t.Fatal(err)
		}
		if _, err := object(t.Context(), h.conn, n.Hash); err == nil {
			t.Fatal("the network is not damaged")
		}
	}
}

// A worker does not play with another network than the one that it was told.
func TestOtherNetworkIsRefused(t *testing.T) {
	n := saved(t, 1)
	if _, err := opened(n.Origin.Path, current{Hash: "another"}, open); err == nil {
		t.Error("another network is opened")
	}
}

// Two networks of one generation, one for self-play and one for a match, are fetched at the same time. Their files go.
func TestNetworksOfOneGeneration(t *testing.T) {
	h := openHub(t, newServer(t))
	a, b, dir := saved(t, 1), saved(t, 2), t.TempDir()
	publish(t, &publisher{hub: h, networks: &latest{}}, a)
	if err := h.networks.put(t.Context(), &h.networks.match, b); err != nil {
		t.Fatal(err)
	}
	both := func(path string) (*eval.Network, error) {
		if _, err := fetch(t.Context(), h.conn, matchPrefix+b.Hash, current{Hash: b.Hash, Generation: 7}, dir, open); err != nil {
			t.Errorf("the network of the match: %v", err)
		}
		return open(path)
	}
	if _, err := fetch(t.Context(), h.conn, a.Hash, current{Hash: a.Hash, Generation: 7}, dir, both); err != nil {
		t.Errorf("the network of self-play: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", left, err)
	}
}
