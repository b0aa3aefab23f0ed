package hub

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/observe"
	"warren/internal/selfplay"
)

// WorkerOptions holds the settings of a worker. URL, Creds and Open are required.
type WorkerOptions struct {
	URL   string
	Creds []byte // content of the credential file
	// Open opens the network in a file on the worker's device.
	Open func(path string) (*eval.Network, error)
	// Check, unless nil, says whether this program can play a job.
	Check func(selfplay.Job) error
	// Lost, unless nil, is that of selfplay.Job.
	Lost func(n *eval.Network, err error) (*eval.Network, error)
	// Spool is the directory for games that have not been acknowledged. No other worker may use it.
	// If empty, the games are kept in memory and lost when the process is killed.
	Spool string
	Log   *slog.Logger

	acknowledged func(data.Hash) // unless nil, is told of every game that the hub has in a shard; for tests
}

// Worker is a machine that plays for a hub.
type Worker struct {
	o        WorkerOptions
	conn     *nats.Conn
	js       jetstream.JetStream
	instance string
	spool    *spool
	dir      string // for networks
	closed   chan struct{}

	seats   *seats
	network atomic.Pointer[eval.Network]
	latency atomic.Int64 // of the last game's acknowledgement, in nanoseconds
	behind  atomic.Bool  // the hub has no numbers
	turn    uint64       // of the next question to the hub
	refused int

	mu      sync.Mutex
	job     selfplay.Job
	stale   bool          // the run continues with another job
	numbers []uint64      // leased and not started
	more    chan struct{} // has an element when numbers have arrived
	fewer   chan struct{} // has an element when numbers have been taken
}

// ErrCredential is wrapped by the errors of [Dial] and [Worker.Play] that are about the credential.
var ErrCredential = errors.New("wrong credential")

// Dial connects to the hub and reads the job and its network. It waits for a hub that is not there yet,
// and logs that. An error names the cause in one line: the hub is not the credential's or refuses it, or it
// has another version. The caller must close the worker.
func Dial(ctx context.Context, o WorkerOptions) (_ *Worker, err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, err
	}
	w := &Worker{o: o, instance: hex.EncodeToString(random[:]), turn: 1, closed: make(chan struct{}),
		more: make(chan struct{}, 1), fewer: make(chan struct{}, 1)}
	w.seats = &seats{worker: w, ended: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			w.Close()
		}
	}()
	if err := checkCredential(o.Creds); err != nil {
		return nil, err
	}
	for address := range strings.SplitSeq(o.URL, ",") {
		if u, err := url.Parse(address); err != nil || u.Host == "" {
			return nil, fmt.Errorf("%q is no address of a hub: give one such as nats://desktop:4222", address)
		}
	}
	if w.spool, err = openSpool(o.Spool, mostSpooled, o.Log); err != nil {
		return nil, err
	}
	if w.dir, err = networksIn(o.Spool); err != nil {
		return nil, fmt.Errorf("making a directory for networks: %w", err)
	}
	for _, step := range []func(context.Context) error{w.connect, w.learn} {
		if err := w.await(ctx, step); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// checkCredential returns an error unless the content of a file may be a worker's credential.
func checkCredential(content []byte) error {
	_, noToken := jwt.ParseDecoratedJWT(content)
	_, noKey := nkeys.ParseDecoratedUserNKey(content)
	_, noAuthority := clientTLS(content)
	if noToken != nil || noKey != nil || noAuthority != nil {
		return fmt.Errorf("%w: it is not a worker's, or not whole; train worker add makes one", ErrCredential)
	}
	return nil
}

// networksIn makes an empty directory for networks, in the spool of a worker if it has one, or in the hub's
// directory. Only one process uses these, so what is in the directory before is left of one that was killed.
func networksIn(parent string) (string, error) {
	if parent == "" {
		return os.MkdirTemp("", "warren-networks-")
	}
	dir := filepath.Join(parent, "networks")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.Mkdir(dir, 0o777)
}

// absent is the error of a hub that is not there yet.
type absent struct{ error }

// await takes a step until the hub is there for it.
func (w *Worker) await(ctx context.Context, step func(context.Context) error) error {
	for said := false; ; {
		err := step(ctx)
		if !errors.As(err, new(absent)) {
			return err
		}
		if !said {
			w.o.Log.Info("waiting for the hub", "because", err)
			said = true
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// isAbsent reports whether the error of a connection means that no server answers.
func isAbsent(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return errors.Is(err, io.EOF) || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrMaxConnectionsExceeded) ||
		errors.Is(err, os.ErrDeadlineExceeded) || ok && dial.Op == "dial"
}

// mostSpooled is the maximum number of games that wait to be acknowledged.
const mostSpooled = 100_000

func (w *Worker) connect(ctx context.Context) (err error) {
	secure, err := clientTLS(w.o.Creds)
	if err != nil {
		return err
	}
	options := []nats.Option{nats.UserCredentialBytes(w.o.Creds), nats.Secure(secure), nats.Name("warren worker"),
		nats.Timeout(10 * time.Second), nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond),
		nats.ReconnectBufSize(-1), // games that cannot be sent stay in the spool
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { w.o.Log.Debug("connection", "error", err) }),
		nats.ClosedHandler(func(*nats.Conn) { close(w.closed) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				w.o.Log.Info("cut off from the hub; finished games wait on the disk", "error", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { w.o.Log.Info("connected to the hub again") })}
	w.conn, err = connect(ctx, w.o.URL, options)
	// The hub's certificate is not signed by the authority in the credential.
	if secure.RootCAs != nil && errors.As(err, new(x509.UnknownAuthorityError)) {
		return fmt.Errorf("%w: it is for another hub than the one at %s; make one there with train worker add NAME --run DIR", ErrCredential, w.o.URL)
	}
	if errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthRevoked) || errors.Is(err, nats.ErrAuthExpired) {
		return w.rejected()
	}
	if errors.Is(err, nats.ErrMaxAccountConnectionsExceeded) {
		return errors.New("this credential has as many connections as it may: see --connections of train worker add")
	}
	if err != nil {
		missing := isAbsent(err)
		err = fmt.Errorf("there is no hub at %s: %w", w.o.URL, err)
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("the hub at %s ends the connection at once: it may have as many as it can take", w.o.URL)
		}
		if missing {
			return absent{err}
		}
		return err
	}
	w.js, err = jetstream.New(w.conn)
	return err
}

func (w *Worker) rejected() error {
	return fmt.Errorf("%w: the hub at %s refuses it; has the worker been removed?", ErrCredential, w.o.URL)
}

// learn reads the job and the network to play it with.
func (w *Worker) learn(ctx context.Context) error {
	if err := w.learnJob(ctx); err != nil {
		return err
	}
	var c current
	if err := w.read(ctx, networkKey, &c); err != nil {
		return err
	}
	return w.change(ctx, c)
}

// learnJob reads the job and takes it over.
func (w *Worker) learnJob(ctx context.Context) error {
	var t terms
	if err := w.read(ctx, jobKey, &t); err != nil {
		return err
	}
	if t.Format != Format || t.Record != data.Version {
		return errors.New(versions("the hub at "+w.o.URL, t.Format, t.Record, "this program"))
	}
	job, err := t.job()
	if err == nil && w.o.Check != nil {
		err = w.o.Check(job)
	}
	if err != nil {
		return fmt.Errorf("the hub at %s has settings that this program does not know: use the same version of Warren on both sides (%w)", w.o.URL, err)
	}
	job.Next = w.next
	w.mu.Lock()
	defer w.mu.Unlock()
	w.job, w.stale = job, false
	return nil
}

func (w *Worker) read(ctx context.Context, key string, into any) error {
	value, _, err := last(ctx, w.conn, "KV_"+warrenBucket, "$KV."+warrenBucket+"."+key)
	if w.conn.IsClosed() { // only a refused credential ends the attempts to connect again
		return w.rejected()
	}
	if err != nil {
		return absent{fmt.Errorf("the hub at %s has no %s to give: is train --listen at work there? (%w)", w.o.URL, key, err)}
	}
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("the hub at %s: reading its %s: %w", w.o.URL, key, err)
	}
	return nil
}

// Latest returns the network for new games. It implements selfplay.Networks.
func (w *Worker) Latest() *eval.Network { return w.network.Load() }

// change fetches a network and uses it for new games.
func (w *Worker) change(ctx context.Context, c current) error {
	if n := w.Latest(); n != nil && n.Hash == c.Hash {
		w.network.Store(labelled(n, c.Generation, c.Stage))
		return nil
	}
	n := untrained
	if !isUntrained(c) {
		var err error
		if n, err = fetch(ctx, w.conn, c.Hash, c, w.dir, w.o.Open); err != nil {
			return err
		}
	}
	w.network.Store(n)
	return nil
}

// next returns a leased number if there is one.
func (w *Worker) next() (uint64, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	notify(w.fewer)
	if w.stale || len(w.numbers) == 0 {
		return 0, false
	}
	n := w.numbers[0]
	w.numbers = w.numbers[1:]
	return n, true
}

// outdated reports whether the run continues with another job.
func (w *Worker) outdated() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stale
}

// notify puts an element into a channel of capacity one, unless it is full.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Play plays until the context ends. The settings workers and gamesPerWorker depend on this machine, so they are not the
// run's: 0 means one worker for every core, and as many games as fill the device's batches. Play sends its events to the
// observer. Games that have not been acknowledged at the end stay in the spool. Play returns the error of the context, or
// the reason why the worker cannot continue, for example that the hub has removed it.
func (w *Worker) Play(ctx context.Context, workers, gamesPerWorker int, observer observe.Observer) error {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	here := func() selfplay.Job { return w.here(workers, gamesPerWorker) }
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for range senders {
		group.Go(func() { w.send(ctx) })
	}
	group.Go(func() {
		if err := w.ask(ctx, here().Config); err != nil {
			cancel(err)
		}
	})
	group.Go(func() {
		select {
		case <-w.closed:
			cancel(fmt.Errorf("the hub at %s has cut this worker off: has it been removed?", w.o.URL))
		case <-ctx.Done():
		}
	})
	for ctx.Err() == nil {
		// Play returns when every game has ended and there are no numbers, or none for this job.
		if err := selfplay.Play(ctx, here(), w, w.spool, observer); err != nil {
			cancel(err)
		}
		select {
		case <-w.more:
		case <-ctx.Done():
		}
		if w.outdated() {
			if err := w.await(ctx, w.learnJob); err != nil {
				cancel(err)
			}
		}
	}
	group.Wait()
	return context.Cause(ctx)
}

// here returns the job with the settings of this machine.
func (w *Worker) here(workers, gamesPerWorker int) selfplay.Job {
	w.mu.Lock()
	defer w.mu.Unlock()
	job := w.job
	job.Config.Workers, job.Config.GamesPerWorker, job.Lost = workers, gamesPerWorker, w.o.Lost
	return job
}

// Flush waits until the hub has received every finished game or the context ends.
func (w *Worker) Flush(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	for range senders {
		group.Go(func() { w.send(ctx) })
	}
	w.spool.drain(ctx)
	cancel()
	group.Wait()
}

// Close closes the connection to the hub and the spool.
func (w *Worker) Close() error {
	if w.conn != nil {
		w.conn.Close()
	}
	if w.dir != "" {
		os.RemoveAll(w.dir)
	}
	if w.spool == nil {
		return nil
	}
	return w.spool.close()
}
