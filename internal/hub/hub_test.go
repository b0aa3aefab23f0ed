package hub

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	stdnet "net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/observe"
	"warren/internal/selfplay"
	"warren/mcts"
)

// testJob has short games.
func testJob() selfplay.Job {
	c := selfplay.DefaultConfig()
	c.Workers, c.GamesPerWorker = 1, 4
	c.Visits.Final, c.FastVisits = 6, 2
	c.TurnLimit, c.FullFraction, c.Visits.Games = 12, 0.25, 0
	search := mcts.AlphaZeroConfig()
	search.NoiseFraction = 0.25
	return selfplay.Job{Rules: selfplay.Rules{Config: c, Search: search, Settings: "settings"}, Run: "test", Seed: 5}
}

// memory is a store in memory, in which every game is safe at once.
type memory struct {
	mu        sync.Mutex
	games     map[data.Hash]*data.Record
	numbers   map[uint64]bool // of these
	repeats   int
	discarded []data.Range
	room      int           // of games; negative is no limit
	came      chan struct{} // has an element when a game has come
}

func newMemory() *memory {
	return &memory{games: map[data.Hash]*data.Record{}, numbers: map[uint64]bool{}, room: -1, came: make(chan struct{}, 1)}
}

func (m *memory) Keep(_ context.Context, r *data.Record, saved func()) (bool, error) {
	m.mu.Lock()
	switch {
	case m.games[r.Hash()] != nil:
		m.repeats++
	case m.numbers[r.Game]:
		m.mu.Unlock()
		return false, nil
	}
	m.games[r.Hash()], m.numbers[r.Game] = r, true
	m.mu.Unlock()
	saved()
	notify(m.came)
	return true, nil
}

func (m *memory) Room() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.room < 0 {
		return -1
	}
	return max(0, m.room-len(m.games))
}
func (m *memory) Next() uint64 { return 0 }
func (m *memory) Played(number uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.numbers[number]
}
func (m *memory) Discard(list []data.Range) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.discarded = append(m.discarded, list...)
	return nil
}
func (m *memory) Has(h data.Hash) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.games[h] != nil
}

// longest is how long a test waits for what never happens. A busy machine takes ten times as long as a quiet
// one, on which nothing takes more than a few seconds.
const longest = time.Minute

// until waits until the store is as it should be.
func (m *memory) until(t *testing.T, what string, ok func(games map[data.Hash]*data.Record) bool) {
	t.Helper()
	deadline := time.After(longest)
	for {
		m.mu.Lock()
		done, n := ok(m.games), len(m.games)
		m.mu.Unlock()
		if done {
			return
		}
		select {
		case <-m.came:
		case <-deadline:
			t.Fatalf("%s: not within %v; %d games have come", what, longest, n)
		}
	}
}

// latest is a source of networks that a test changes.
type latest struct{ atomic.Pointer[eval.Network] }

func (l *latest) Latest() *eval.Network { return l.Load() }

// site is a hub at work on a server of its own.
type site struct {
	*Hub
	keys     *Keys
	server   *Server
	store    *memory
	networks *latest
	stop     func() error
}

func open(path string) (*eval.Network, error) { return device.Load(path, device.Auto) }

// openOn returns a function that opens networks on a device; empty means auto.
func openOn(name string) func(path string) (*eval.Network, error) {
	return func(path string) (*eval.Network, error) { return device.Load(path, cmp.Or(name, device.Auto)) }
}

// newServer starts an embedded server that ends with the test, and returns the options of a hub on it.
func newServer(t *testing.T) Options {
	t.Helper()
	return newServerAt(t, "127.0.0.1:0")
}

// newServerAt is newServer at an address, such as one of freeAddresses where a server starts again.
func newServerAt(t *testing.T, address string) Options {
	t.Helper()
	keys, err := OpenKeys(filepath.Join(t.TempDir(), "hub"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := Serve(keys, ServerOptions{Listen: "nats://" + address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return Options{Keys: keys, Server: server, Open: open}
}

// newSite starts a hub that ends with the test. Change may set options.
func newSite(t *testing.T, job selfplay.Job, change func(*Options)) *site {
	t.Helper()
	m := newMemory()
	s := newSiteOf(t, job, m, change)
	s.store = m
	return s
}

// newSiteOf starts a hub with a store of the test's own.
func newSiteOf(t *testing.T, job selfplay.Job, store GameStore, change func(*Options)) *site {
	t.Helper()
	o := newServer(t)
	if change != nil {
		change(&o)
	}
	return newSiteOn(t, o, job, store)
}

// newSiteOn starts a hub with these options.
func newSiteOn(t *testing.T, o Options, job selfplay.Job, store GameStore) *site {
	t.Helper()
	h, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{Hub: h, keys: o.Keys, server: o.Server, networks: &latest{}}
	s.networks.Store(eval.Untrained())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Play(ctx, job, s.networks, store, observe.Nobody) }()
	s.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := s.stop(); !errors.Is(err, context.Canceled) {
			t.Errorf("the hub ended with %v", err)
		}
		h.Close()
	})
	s.await(t, func() bool { return playing(h).Hash != "" })
	return s
}

// await polls until something is so.
func (s *site) await(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); !ok(); <-tick.C {
		if time.Since(begin) > longest {
			t.Fatalf("it does not come about within %v", longest)
		}
	}
}

// removed waits until the worker hostile is removed for a reason with the words.
func (s *site) removed(t *testing.T, words string) {
	t.Helper()
	s.await(t, func() bool {
		c, err := s.keys.load("hostile")
		return err == nil && c.Removed != nil && strings.Contains(c.Reason, words)
	})
}

func (s *site) add(t *testing.T, name string) []byte {
	t.Helper()
	authority, err := s.keys.Authority()
	if err != nil {
		t.Fatal(err)
	}
	creds, err := s.keys.Add(name, 2, authority)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.refresh(); err != nil {
		t.Fatal(err)
	}
	return creds
}

// dial connects a worker, which the test closes.
func (s *site) dial(t *testing.T, name, spool string) *Worker {
	t.Helper()
	w, err := Dial(t.Context(), WorkerOptions{URL: s.server.URL(), Creds: s.add(t, name), Spool: spool, Open: open, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// play lets a worker play until the test ends or the function that it returns is called.
func play(t *testing.T, w *Worker) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Play(ctx, 1, 4, observe.Nobody) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { stop() })
	return stop
}

func (s *site) activity(name string) (a Activity) {
	for _, a := range s.workers.activities() {
		if a.Name == name {
			return a
		}
	}
	return a
}

// A server that cannot listen says at once why.
func TestPortInUse(t *testing.T) {
	o := newServer(t)
	_, err := Serve(o.Keys, ServerOptions{Listen: o.Server.URL()})
	if !errors.As(err, new(*stdnet.OpError)) || !strings.Contains(err.Error(), o.Server.URL()) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want one line with the address and the cause", err)
	}
}

// A hub starts again on a disk where its own files have left little room.
func TestDiskThatHasBecomeFull(t *testing.T) {
	o := newServer(t)
	o.transitBytes = 1 << 48 // more than any disk has
	openHub(t, o)
}

// A hub on a server that has found the disk full, which then answers nothing, says so.
func TestServerThatCannotWrite(t *testing.T) {
	o := newServer(t)
	if err := o.Server.nats.DisableJetStream(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "is the disk full?") {
		t.Errorf("it says %v", err)
	}
}

// What NATS warns of reaches the log, except for what a stranger can cause.
func TestWarningsOfNATS(t *testing.T) {
	var text strings.Builder
	log := natsLog{slog.New(slog.NewTextHandler(&text, nil))}
	log.Warnf("stream %s is damaged", "games")
	log.Errorf("the disk is slow")
	log.Errorf("127.0.0.1:1234 - cid:5 - TLS handshake error")
	log.Warnf("Account fetch failed: %v", errNoAccount)
	log.Noticef("started")
	if got := text.String(); !strings.Contains(got, "level=WARN msg=\"hub: NATS says: stream games is damaged\"") ||
		!strings.Contains(got, "level=ERROR msg=\"hub: NATS says: the disk is slow\"") || strings.Count(got, "\n") != 2 {
		t.Errorf("it logs:\n%s", got)
	}
}

// Two workers play for a hub: every game comes in once, is what its number gives when it is played
// again, and the network changes on the way.
func TestGamesComeInAndNetworksGoOut(t *testing.T) {
	job := testJob()
	s := newSite(t, job, func(o *Options) { o.Sample = 1 })
	a, b := s.dial(t, "a", t.TempDir()), s.dial(t, "b", "")
	stopA, stopB := play(t, a), play(t, b)
	s.store.until(t, "20 games", func(games map[data.Hash]*data.Record) bool { return len(games) >= 20 })

	trained := saved(t, 1)
	s.networks.Store(trained)
	s.store.until(t, "games of the new network", func(games map[data.Hash]*data.Record) bool {
		count := 0
		for _, r := range games {
			if r.Network == trained.Hash && r.Generation == 1 {
				count++
			}
		}
		return count >= 4
	})
	s.await(t, func() bool { return s.activity("a").Replayed > 0 && s.activity("b").Replayed > 0 })
	for _, stop := range []func() error{stopA, stopB} {
		if err := stop(); !errors.Is(err, context.Canceled) {
			t.Errorf("a worker ended with %v", err)
		}
	}
	a.Flush(t.Context())
	if queue := a.Condition().Queue; queue != 0 {
		t.Errorf("%d games wait after Flush", queue)
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	numbers := map[uint64]bool{}
	for _, r := range s.store.games {
		if numbers[r.Game] {
			t.Errorf("game %d came twice", r.Game)
		}
		numbers[r.Game] = true
	}
	for _, name := range []string{"a", "b"} {
		if x := s.activity(name); x.refused() > 0 || x.Games == 0 || x.Unchecked > 0 {
			t.Errorf("%s: %+v", name, x)
		}
	}
}

// The hub gives no numbers beyond what the learner has room for, and the worker waits.
func TestWorkersWaitForTheLearner(t *testing.T) {
	s := newSite(t, testJob(), nil)
	s.store.mu.Lock()
	s.store.room = 10
	s.store.mu.Unlock()
	w := s.dial(t, "a", "")
	play(t, w)
	s.store.until(t, "10 games", func(games map[data.Hash]*data.Record) bool { return len(games) >= 10 })
	s.await(t, func() bool { return w.Condition().Behind })
	s.store.mu.Lock()
	if n := len(s.store.games); n != 10 {
		t.Errorf("%d games came in, and there was room for 10", n)
	}
	s.store.room = 15
	s.store.mu.Unlock()
	s.store.until(t, "15 games", func(games map[data.Hash]*data.Record) bool { return len(games) >= 15 })
}

func TestWorkerOfAnotherVersionIsToldInOneLine(t *testing.T) {
	s := newSite(t, testJob(), nil)
	creds := s.add(t, "a")
	dial := func() error {
		w, err := Dial(t.Context(), WorkerOptions{URL: s.server.URL(), Creds: creds, Open: open})
		if err == nil {
			w.Close()
		}
		return err
	}
	if err := dial(); err != nil {
		t.Fatal(err)
	}
	x, err := termsOf(testJob())
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(x *terms){
		"format 10":            func(x *terms) { x.Format = 10 },
		"records of version 9": func(x *terms) { x.Record = 9 },
		"does not know":        func(x *terms) { x.Search = []byte(`{"Unheard": 1}`) },
		"does not exist":       func(x *terms) { x.Search = []byte(`{"Rule": "unheard"}`) },
	} {
		other := x
		change(&other)
		if err := putJSON(t.Context(), s.bucket, jobKey, other); err != nil {
			t.Fatal(err)
		}
		err := dial()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "same version of Warren") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", want, err)
		}
	}
	// One that was connected before the hub was replaced gets no numbers.
	for _, r := range []request{{Format: Format + 1, Record: data.Version}, {Format: Format, Record: data.Version + 1}} {
		r.Want = 1
		asked, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got := s.reply(t.Context(), &nats.Msg{Subject: leaseSubject + "." + s.workerAccountOf(t, "a"), Data: asked}, s.store)
		if got.Count != 0 || !strings.Contains(got.Error, "same version of Warren") {
			t.Errorf("format %d with records of version %d: %+v", r.Format, r.Record, got)
		}
	}
}

func TestDialNamesWhatIsWrong(t *testing.T) {
	s := newSite(t, testJob(), nil)
	s.add(t, "a")
	stranger, err := OpenKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	authority, err := s.keys.Authority()
	if err != nil {
		t.Fatal(err)
	}
	other, err := stranger.Authority()
	if err != nil {
		t.Fatal(err)
	}
	forged, err := stranger.Add("a", 2, authority)
	if err != nil {
		t.Fatal(err)
	}
	strange, err := s.keys.Add("b", 2, other)
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]WorkerOptions{
		"credential: the hub at":      {URL: s.server.URL(), Creds: forged},
		"it is for another hub than":  {URL: s.server.URL(), Creds: strange},
		"it is not a worker's, or no": {URL: s.server.URL(), Creds: []byte("something")},
		"or not whole":                {URL: s.server.URL(), Creds: forged[:bytes.Index(forged, []byte("BEGIN USER"))]},
		"whole; train worker add":     {URL: s.server.URL(), Creds: bytes.Replace(forged, authority, []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), 1)},
	} {
		o.Open = open
		if _, err := Dial(t.Context(), o); !errors.Is(err, ErrCredential) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
}

// A process for which the credential has no connection left is told so.
func TestConnectionsOfACredential(t *testing.T) {
	s := newSite(t, testJob(), nil)
	creds := s.dial(t, "a", "").o.Creds
	for i := range 2 {
		w, err := Dial(t.Context(), WorkerOptions{URL: s.server.URL(), Creds: creds, Open: open})
		if err == nil {
			defer w.Close()
		}
		if full := err != nil && strings.Contains(err.Error(), "as many connections as it may"); full != (i == 1) {
			t.Errorf("process %d of a credential for two: %v", i+2, err)
		}
	}
}

// The number of games that a worker plays at once is that of its machine, also if that is as many as its device needs.
func TestGamesPerWorkerAreOfTheMachine(t *testing.T) {
	w := &Worker{job: testJob()}
	for _, games := range []int{0, 7} {
		if c := w.here(3, games).Config; c.GamesPerWorker != games || c.Workers != 3 {
			t.Errorf("it plays %d games in each of %d workers, want %d in 3", c.GamesPerWorker, c.Workers, games)
		}
	}
}

// A worker asks for numbers when half of those that it needs are left, and not for a few at every heartbeat.
func TestNumbersAreAskedForWhenHalfIsLeft(t *testing.T) {
	w := &Worker{numbers: make([]uint64, 20)}
	for left := 20; left >= 0; left-- {
		w.numbers = w.numbers[:left]
		want := 0
		if left <= 10 {
			want = 20 - left
		}
		if n := w.want(20); n != want {
			t.Errorf("with %d of 20 numbers it asks for %d, want %d", left, n, want)
		}
	}
}

// Numbers left over when the run's settings change wait until the worker plays by the new ones.
func TestNumbersWaitForNewSettings(t *testing.T) {
	w := &Worker{more: make(chan struct{}, 1), fewer: make(chan struct{}, 1)}
	w.take(reply{First: 7, Count: 2})
	if n, ok := w.next(); !ok || n != 7 {
		t.Errorf("the first number is %d, %v", n, ok)
	}
	w.take(reply{Settings: "others"})
	if n, ok := w.next(); ok {
		t.Errorf("number %d is played by the settings before", n)
	}
	w.job.Settings, w.stale = "others", false
	if n, ok := w.next(); !ok || n != 8 {
		t.Errorf("by the new settings the number is %d, %v", n, ok)
	}
}

// A worker that is started before its hub says that it waits, and then plays. Nothing but the hub's
// absence is waited for.
func TestWorkerWaitsForItsHub(t *testing.T) {
	o := newServerAt(t, freeAddresses(t, 1)[0])
	url := o.Server.URL()
	o.Server.Close()
	authority, err := o.Keys.Authority()
	if err != nil {
		t.Fatal(err)
	}
	creds, err := o.Keys.Add("early", 2, authority)
	if err != nil {
		t.Fatal(err)
	}
	waits := &spoken{text: "waiting for the hub", came: make(chan struct{}, 1)}
	dialled := make(chan *Worker, 1)
	failed := make(chan error, 1)
	go func() {
		w, err := Dial(t.Context(), WorkerOptions{URL: url, Creds: creds, Open: open, Log: slog.New(waits)})
		if err != nil {
			failed <- err
			return
		}
		dialled <- w
	}()
	select {
	case <-waits.came:
	case err := <-failed:
		t.Fatal(err)
	case <-time.After(longest):
		t.Fatal("it does not say that it waits")
	}
	if o.Server, err = Serve(o.Keys, ServerOptions{Listen: url}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Server.Close)
	h := openHub(t, o)
	select {
	case w := <-dialled:
		w.Close()
		t.Fatal("the hub has nothing to play yet")
	case err := <-failed:
		t.Fatal(err)
	default:
	}
	if err := h.publishJob(t.Context(), testJob()); err != nil {
		t.Fatal(err)
	}
	networks := &latest{}
	networks.Store(eval.Untrained())
	if err := (&publisher{hub: h, networks: networks}).publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case w := <-dialled:
		w.Close()
	case err := <-failed:
		t.Fatal(err)
	case <-time.After(longest):
		t.Fatal("it does not find its hub")
	}
}

// A hub whose machine has it stopped, or is too busy to answer, is waited for, too.
func TestMuteHubIsAbsent(t *testing.T) {
	l, err := stdnet.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := connect(t.Context(), "nats://"+l.Addr().String(), []nats.Option{nats.Timeout(10 * time.Millisecond)}); !isAbsent(err) {
		t.Errorf("it is not waited for: %v", err)
	}
}

// A worker that waits for its hub can be stopped.
func TestWorkerThatWaitsCanBeStopped(t *testing.T) {
	o := newServer(t)
	creds, err := o.Keys.Add("a", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	waits := &spoken{text: "waiting for the hub", came: make(chan struct{}, 1)}
	ended := make(chan error, 1)
	go func() {
		_, err := Dial(ctx, WorkerOptions{URL: "nats://127.0.0.1:1", Creds: creds, Open: open, Log: slog.New(waits)})
		ended <- err
	}()
	select {
	case <-waits.came:
	case err := <-ended:
		t.Fatalf("it does not wait: %v", err)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// Connections without a credential take the place of no worker that is connected, nor of the run's files: NATS never
// sees more than the bound. A worker that comes while there is no place says so and waits.
func TestIdleConnectionsAreBounded(t *testing.T) {
	const most = 8
	o := newServer(t)
	o.Server.Close()
	log := &listened{}
	server, err := Serve(o.Keys, ServerOptions{Listen: "nats://127.0.0.1:0", connections: most, Log: slog.New(log)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	o.Server = server
	s := newSiteOn(t, o, testJob(), newMemory())
	w := s.dial(t, "a", "")
	creds := s.add(t, "b")
	var idle []stdnet.Conn
	greeted := 0
	for range 330 {
		c, err := stdnet.Dial("tcp", strings.TrimPrefix(server.URL(), "nats://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		idle = append(idle, c)
		if _, err := bufio.NewReader(c).ReadString('\n'); err == nil { // which every server says first
			greeted++
		}
	}
	if greeted != most-1 {
		t.Errorf("%d connections besides the worker's have reached the server, want %d", greeted, most-1)
	}
	if x, err := w.request(t.Context(), request{Want: 1}); err != nil || x.Count != 1 {
		t.Errorf("the worker gets %+v, %v", x, err)
	}
	waits := &spoken{text: "as many as it can take", came: make(chan struct{}, 1)}
	ended := make(chan error, 1)
	go func() {
		late, err := Dial(t.Context(), WorkerOptions{URL: server.URL(), Creds: creds, Open: open, Log: slog.New(waits)})
		if err == nil {
			late.Close()
		}
		ended <- err
	}()
	select {
	case <-waits.came:
	case err := <-ended:
		t.Fatalf("there is no place, and the worker ends with %v", err)
	}
	for _, c := range idle {
		c.Close()
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(log.lines) > 0 {
		t.Errorf("the server says %q", log.lines)
	}
}

// A damaged file of the hub's own is named at once, in one line that says what to do.
func TestDamagedFilesAreNamed(t *testing.T) {
	keys, err := OpenKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	authority, err := keys.Authority()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Add("a", 2, authority); err != nil {
		t.Fatal(err)
	}
	known, err := keys.load("a")
	if err != nil {
		t.Fatal(err)
	}
	other, err := OpenKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := other.Authority()
	if err != nil {
		t.Fatal(err)
	}
	start := func() error {
		k, err := OpenKeys(keys.dir)
		if err != nil {
			return err
		}
		if _, err := k.Authority(); err != nil {
			return err
		}
		if _, err := k.serverTLS(); err != nil {
			return err
		}
		_, err = k.List()
		return err
	}
	if err := start(); err != nil {
		t.Fatal(err)
	}
	for file, contents := range map[string][]string{
		"keys.json":         {"", "{", `{"operator": "SO"}`},
		"tls/authority.pem": {"", string(authority[:len(authority)/2]), string(foreign), "text"},
		"tls/server.pem":    {"", string(authority)},
		"tls/server.key":    {"", string(authority)},
		"workers/a.json": {"", "{", `{"name": "b", "account": "` + known.Account + `"}`, `{"name": "a", "account": "A"}`,
			`{"name": "a", "account": "` + known.Account + `", "remnved": null}`},
	} {
		path := filepath.Join(keys.dir, filepath.FromSlash(file))
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, content := range contents {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			err := start()
			if err == nil || !strings.Contains(err.Error(), filepath.Dir(path)) || !strings.Contains(err.Error(), "from a backup") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s with %.20q: %v", file, content, err)
			}
		}
		if err := os.WriteFile(path, before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A worker that is removed is cut off, and ends with a line that says so.
func TestRemovedWorkerIsCutOff(t *testing.T) {
	s := newSite(t, testJob(), nil)
	w := s.dial(t, "a", "")
	ended := make(chan error, 1)
	go func() { ended <- w.Play(t.Context(), 1, 2, observe.Nobody) }()
	s.store.until(t, "a game", func(games map[data.Hash]*data.Record) bool { return len(games) > 0 })
	if err := s.keys.Remove("a", "in a test"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "removed") {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(longest):
		t.Fatal("it plays on")
	}
	if _, err := Dial(t.Context(), WorkerOptions{URL: s.server.URL(), Creds: w.o.Creds, Open: open}); !errors.Is(err, ErrCredential) {
		t.Errorf("it may connect again: %v", err)
	}
}

// A worker that has been removed is not cut off again, and so another of its name is not either, though the hub has not
// read the list since.
func TestAnotherWorkerOfAName(t *testing.T) {
	o := newServer(t)
	h := openHub(t, o)
	add := func() *Credential {
		t.Helper()
		_, err := o.Keys.Add("a", 1, nil)
		c, failed := o.Keys.load("a")
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := add()
	if err := h.refresh(); err != nil {
		t.Fatal(err)
	}
	old := h.workers.of(first.Account)
	if err := o.Keys.Remove("a", "in a test"); err != nil {
		t.Fatal(err)
	}
	second := add()
	h.quarantine(old, "for a game of the first")
	if c, err := o.Keys.load("a"); err != nil || c.Account != second.Account || c.Removed != nil {
		t.Errorf("the second worker: %+v, %v", c, err)
	}
	if err := h.refresh(); err != nil {
		t.Fatal(err)
	}
	h.quarantine(h.workers.of(second.Account), "for its own")
	if c, err := o.Keys.load("a"); err != nil || c.Removed == nil || h.workers.of(second.Account) != nil {
		t.Errorf("the second worker, cut off: %+v, %v", c, err)
	}
}

// A worker that is removed after it has connected, and before it has read the job, does not wait for the hub for ever.
func TestRemovedWorkerDoesNotWait(t *testing.T) {
	s := newSite(t, testJob(), nil)
	w := s.dial(t, "a", "")
	if w.Condition().CutOff {
		t.Error("it is shown as cut off before it is")
	}
	w.conn.Close() // as the connection ends by itself when the credential is refused twice
	if !w.Condition().CutOff {
		t.Error("it is not shown as cut off")
	}
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	if err := w.await(ctx, w.learn); !errors.Is(err, ErrCredential) {
		t.Errorf("it ended with %v", err)
	}
}

// When a run continues with other settings, a worker that has stayed plays by them.
func TestWorkerTakesOverNewSettings(t *testing.T) {
	s := newSite(t, testJob(), nil)
	w := s.dial(t, "a", "")
	play(t, w)
	s.store.until(t, "a game", func(games map[data.Hash]*data.Record) bool { return len(games) > 0 })
	if err := s.stop(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	job := testJob()
	job.Settings, job.Config.Visits.Final = "others", 4
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Play(ctx, job, s.networks, s.store, observe.Nobody) }()
	defer func() {
		cancel()
		<-ended
	}()
	s.store.until(t, "a game with the other settings", func(games map[data.Hash]*data.Record) bool {
		for _, r := range games {
			if r.Settings == "others" {
				return true
			}
		}
		return false
	})
}

// spoken has an element when a line of the log contains a text.
type spoken struct {
	slog.Handler
	text string
	came chan struct{}
}

func (s *spoken) Enabled(context.Context, slog.Level) bool { return true }
func (s *spoken) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(line(r), s.text) {
		notify(s.came)
	}
	return nil
}

// line returns a record of a log with its attributes.
func line(r slog.Record) string {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		return true
	})
	return text
}

// A worker whose games of the old settings end while the hub is away waits for it, and then plays by the
// new settings.
func TestWorkerWaitsForNewSettings(t *testing.T) {
	m := newMemory()
	s := newSiteOn(t, newServerAt(t, freeAddresses(t, 1)[0]), testJob(), m)
	s.store = m
	tried := &spoken{text: "waiting for the hub", came: make(chan struct{}, 1)}
	w, err := Dial(t.Context(), WorkerOptions{URL: s.server.URL(), Creds: s.add(t, "a"), Open: open, Log: slog.New(tried)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if err := s.stop(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	url := s.server.URL()
	s.server.Close()
	s.await(t, func() bool { return !w.conn.IsConnected() })
	w.take(reply{Settings: "others"})
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { ended <- w.Play(ctx, 1, 4, observe.Nobody) }()
	select {
	case <-tried.came:
	case err := <-ended:
		t.Fatalf("the worker ended with %v", err)
	case <-time.After(longest):
		t.Fatal("the worker does not try to read the settings")
	}
	server, err := Serve(s.keys, ServerOptions{Listen: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	h := openHub(t, Options{Keys: s.keys, Server: server, Open: open})
	job := testJob()
	job.Settings, job.Config.Visits.Final = "others", 4
	played := make(chan error, 1)
	go func() { played <- h.Play(ctx, job, s.networks, s.store, observe.Nobody) }()
	s.store.until(t, "a game with the other settings", func(games map[data.Hash]*data.Record) bool {
		for _, r := range games {
			if r.Settings == "others" {
				return true
			}
		}
		return false
	})
	cancel()
	for _, c := range []chan error{ended, played} {
		if err := <-c; !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	}
}

// A network that is published again as that of the next generation, because nothing was learned, is played
// as that, and the games that began before still count, also after a restart of the hub.
func TestSameNetworkOfTwoGenerations(t *testing.T) {
	s := newSite(t, testJob(), func(o *Options) { o.Sample = 1 })
	one := saved(t, 1)
	one.Origin.Generation = 1
	two := *one
	two.Origin.Generation = 2
	play(t, s.dial(t, "a", ""))
	for _, n := range []*eval.Network{one, &two} {
		s.networks.Store(n)
		s.await(t, func() bool {
			if x := s.activity("a"); x.Name == "" || x.refused() > 0 {
				t.Fatalf("%+v", x)
			}
			s.store.mu.Lock()
			defer s.store.mu.Unlock()
			for _, r := range s.store.games {
				if r.Network == n.Hash && int(r.Generation) == n.Origin.Generation {
					return true
				}
			}
			return false
		})
	}
	replayed := s.activity("a").Replayed
	s.await(t, func() bool {
		x := s.activity("a") // without a name if it was removed
		if x.Name == "" || x.refused() > 0 {
			t.Fatalf("%+v", x)
		}
		return x.Replayed > replayed+70 // those that were waiting, and more
	})
	again, damaged, err := openKnown(s.keys.dir)
	if err != nil || damaged > 0 {
		t.Fatalf("%d damaged lines, %v", damaged, err)
	}
	defer again.close()
	for generation, want := range map[int]bool{0: false, 1: true, 2: true, 3: false} {
		if again.network(one.Hash, generation) != want {
			t.Errorf("after a restart, generation %d is %v", generation, !want)
		}
	}
}

// playing returns the network that a hub has published last.
func playing(h *Hub) current {
	network, _ := h.known.inUse()
	return network
}
