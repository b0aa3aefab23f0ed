package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/observe"
	"warren/internal/selfplay"
)

// GameStore stores accepted games. It is the learner's side of the run: a train.Store.
type GameStore interface {
	// Keep stores a game. It calls saved, from any goroutine, once the game is on disk, or at once if
	// it already is. It reports false if it has another game with this number, and then stores nothing. It waits
	// while the learner is behind, but not beyond the end of the context. It returns the error of an earlier write.
	Keep(ctx context.Context, r *data.Record, saved func()) (first bool, err error)
	// Room returns the number of games that Keep takes before it waits; negative means no limit.
	Room() int
	// Next returns the lowest number above those of all games saved by earlier processes.
	Next() uint64
	// Played reports whether a game with this number is saved or has been given to Keep.
	Played(number uint64) bool
	// Has reports whether the record with this hash is saved or has been given to Keep.
	Has(data.Hash) bool
	// Discard takes the games with these numbers out of the replay window, now and after a restart.
	Discard([]data.Range) error
}

// Options holds the settings of a hub. Keys, Open and either Server or URL are required.
type Options struct {
	Keys   *Keys
	Server *Server // the embedded server
	URL    string  // of an outside server or cluster; empty with Server
	Log    *slog.Logger
	// Open opens the network in a file, to replay games with it.
	Open func(path string) (*eval.Network, error)
	// Saved, unless nil, returns the path of the run's network of a generation, to replay games of
	// networks that are not kept for the workers any more.
	Saved func(generation int) string

	Replicas  int     // copies of each message in a cluster; default 1
	PerWorker int64   // limit on the games in transit of one worker; default 1024
	Sample    float64 // share of the games that are replayed; 0 is none

	// Tests set these.
	transitBytes int64   // limit on the games in transit; default 2 GiB
	networkBytes int64   // size of the store of networks, which grows if they are very large; default 2 GiB
	rate         float64 // limit on the numbers per second for one worker; default 500
}

func (o *Options) setDefaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Replicas = max(o.Replicas, 1)
	o.transitBytes = cmp.Or(o.transitBytes, 2<<30)
	o.networkBytes = cmp.Or(o.networkBytes, 2<<30)
	o.PerWorker = cmp.Or(o.PerWorker, 1024)
	o.rate = cmp.Or(o.rate, 500)
}

// Hub is the learner's side of play on many machines.
type Hub struct {
	o        Options
	conn     *nats.Conn
	system   *nats.Conn // sends the workers' accounts to an outside server
	js       jetstream.JetStream
	games    jetstream.Stream
	bucket   jetstream.KeyValue
	networks *networkStore

	refreshing sync.Mutex
	untold     map[string]*Credential // workers of whom the outside server is still to be told, by account

	workers *workers
	leases  *leases
	known   *known
	matches *matches
	transit *transit
	began   time.Time // when Play began
}

// Open connects to the server and makes the streams and buckets that do not exist yet.
func Open(ctx context.Context, o Options) (_ *Hub, err error) {
	o.setDefaults()
	h := &Hub{o: o, untold: map[string]*Credential{}, workers: newWorkers(&o), leases: newLeases(o.Keys.dir), transit: newTransit()}
	h.matches = newMatches(h)
	defer func() {
		if err != nil {
			h.Close()
		}
	}()
	if h.conn, err = h.connect(ctx, "hub", o.Keys.hub); err != nil {
		return nil, err
	}
	if o.Server == nil {
		if h.system, err = h.connect(ctx, "system", o.Keys.system); err != nil {
			return nil, err
		}
	}
	if err := h.refresh(); err != nil {
		return nil, err
	}
	if h.js, err = jetstream.New(h.conn); err != nil {
		return nil, fmt.Errorf("opening the hub: %w", err)
	}
	// NATS 2.15 can fail on a request that follows the end of JetStream, if JetStream has only just begun.
	if err := o.Server.writes(); err != nil {
		return nil, fmt.Errorf("opening the hub: %w", err)
	}
	if err := h.makeStreams(ctx); err != nil {
		return nil, fmt.Errorf("opening the hub: %w", cmp.Or(o.Server.writes(), err))
	}
	var damaged int
	if h.known, damaged, err = openKnown(o.Keys.dir); err != nil {
		return nil, fmt.Errorf("opening the hub: %w", err)
	}
	if damaged > 0 {
		o.Log.Error("hub: the list of what was published is damaged; games of networks or settings that are missing in it are refused",
			"path", filepath.Join(o.Keys.dir, publishedFile), "lines", damaged)
	}
	return h, nil
}

// connect connects to the server with one of the run's own accounts.
func (h *Hub) connect(ctx context.Context, name string, account nkeys.KeyPair) (*nats.Conn, error) {
	credential, err := h.o.Keys.user(name, account)
	if err != nil {
		return nil, err
	}
	authority, err := h.o.Keys.Authority()
	if err != nil {
		return nil, err
	}
	secure, err := clientTLS(authority)
	if err != nil {
		return nil, err
	}
	options := []nats.Option{credential, nats.Name("warren " + name), nats.Timeout(10 * time.Second), nats.MaxReconnects(-1), nats.Secure(secure),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { h.o.Log.Debug("hub: connection", "error", err) })}
	if h.o.Server != nil {
		options = append(options, nats.InProcessServer(h.o.Server.nats))
	}
	conn, err := connect(ctx, h.o.URL, options)
	if err != nil {
		return nil, fmt.Errorf("connecting to the hub's server %s: %w", h.o.URL, err)
	}
	return conn, nil
}

func (h *Hub) makeStreams(ctx context.Context) (err error) {
	if h.games, err = h.js.CreateOrUpdateStream(ctx, gamesConfig(&h.o)); err != nil {
		return fmt.Errorf("the stream of games: %w", err)
	}
	if h.bucket, err = h.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: warrenBucket, Replicas: h.o.Replicas, MaxBytes: 256 << 20,
		Description: "how games are played, and with what",
	}); err != nil {
		return fmt.Errorf("the bucket of settings: %w", err)
	}
	if h.networks, err = openNetworks(ctx, h.js, &h.o); err != nil {
		return fmt.Errorf("the store of networks: %w", err)
	}
	return nil
}

// Close closes the connections to the server and the hub's files.
func (h *Hub) Close() {
	if h.known != nil {
		h.known.close()
	}
	for _, c := range []*nats.Conn{h.conn, h.system} {
		if c != nil {
			c.Close()
		}
	}
}

// Play lets the workers play the job until the context ends. It gives them numbers and networks, and
// puts their games into the store. It reports the games to the observer. The hub assigns the
// numbers of the job, starting at store.Next. Play returns the error of the context, or the reason
// why it cannot continue.
func (h *Hub) Play(ctx context.Context, job selfplay.Job, networks selfplay.Networks, store GameStore, observer observe.Observer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := h.publishJob(ctx, job); err != nil {
		return err
	}
	damaged, err := h.leases.restore(store.Next(), store.Played)
	if err != nil {
		return err
	}
	if damaged > 0 {
		h.o.Log.Error("hub: the list of leases is damaged; games with the numbers that are missing in it are accepted from any worker",
			"path", h.leases.path, "lines", damaged)
	}
	defer h.leases.close()
	h.began = time.Now()
	h.transit = newTransit() // an earlier Play kept games that this store need not have
	in := &intake{hub: h, store: store, observer: observer, replays: make(chan replay, 64)}
	out := &publisher{hub: h, networks: networks}
	requests, err := h.listen(ctx)
	if err != nil {
		return err
	}
	defer requests.Unsubscribe()
	if err := out.publish(ctx); err != nil {
		return err
	}
	var group sync.WaitGroup
	for _, part := range []func(context.Context) error{
		in.run, in.replay, out.run,
		func(ctx context.Context) error { return h.answer(ctx, requests, store) },
		func(ctx context.Context) error { return h.keepHouse(ctx, store) },
	} {
		group.Go(func() {
			if err := part(ctx); err != nil && ctx.Err() == nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

func putJSON(ctx context.Context, kv jetstream.KeyValue, key string, v any) error {
	content, err := json.Marshal(v)
	if err == nil {
		_, err = kv.Put(ctx, key, content)
	}
	if err != nil {
		return fmt.Errorf("writing %s to the hub: %w", key, err)
	}
	return nil
}

// keepHouse updates the list of workers every second, discards the games of those for which that was
// asked and writes a summary of the workers' activity.
func (h *Hub) keepHouse(ctx context.Context, store GameStore) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if err := h.refresh(); err != nil {
			h.o.Log.Warn("hub: the list of workers cannot be taken over yet", "error", err)
		}
		if err := h.discard(store); err != nil {
			h.o.Log.Warn("hub: a worker's games cannot be taken out of the window yet", "error", err)
		}
		if err := h.workers.write(h.o.Keys.dir); err != nil {
			h.o.Log.Warn("hub: the workers' counts cannot be written", "error", err)
		}
		h.leases.forget(time.Now())
		if err := h.o.Server.writes(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
