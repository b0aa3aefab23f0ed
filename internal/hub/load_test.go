package hub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/nettest"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
	"warren/internal/settings"
	"warren/internal/train"
)

// shards is a store of real shards.
type shards struct {
	*memory
	writer *data.Writer
	mu     sync.Mutex
	tell   map[data.Hash]func()
	saved  atomic.Int64
}

// arrived stands for every game, since the shards have them.
var arrived = &data.Record{}

func newShards(dir string) *shards {
	s := &shards{memory: newMemory(), tell: map[data.Hash]func(){}}
	s.writer = data.NewWriter(dir, data.WriterConfig{Games: 256, Every: time.Second, Saved: func(_ data.ShardInfo, records []*data.Record) {
		for _, r := range records {
			s.mu.Lock()
			tell := s.tell[r.Hash()]
			delete(s.tell, r.Hash())
			s.mu.Unlock()
			tell()
			s.saved.Add(1)
		}
	}})
	return s
}

func (s *shards) Keep(_ context.Context, r *data.Record, saved func()) (bool, error) {
	s.memory.mu.Lock()
	if s.games[r.Hash()] != nil {
		s.repeats++
	}
	s.games[r.Hash()] = arrived
	s.memory.mu.Unlock()
	s.mu.Lock()
	s.tell[r.Hash()] = saved
	s.mu.Unlock()
	return true, s.writer.Put(r)
}

// crowdChild is many workers in one process, each with a credential and a connection of its own. It
// says "ready" when all are connected, and begins when it is told to; then it prints how many games
// have been acknowledged, once a second and at the end.
func crowdChild(ctx context.Context, c childConfig) error {
	files, err := filepath.Glob(filepath.Join(c.Creds, "*.creds"))
	if err != nil {
		return err
	}
	var acked atomic.Int64
	var group, connected sync.WaitGroup
	ready := make(chan struct{})
	errs := make(chan error, len(files))
	slots := make(chan struct{}, 2*runtime.GOMAXPROCS(0)) // workers that play at once: this machine has few cores
	connected.Add(len(files))
	for _, file := range files {
		group.Go(func() {
			creds, err := os.ReadFile(file)
			var w *Worker
			if err == nil {
				w, err = Dial(ctx, WorkerOptions{URL: c.URL, Creds: creds, Open: open, acknowledged: func(data.Hash) { acked.Add(1) }})
			}
			connected.Done()
			if err != nil {
				errs <- err
				return
			}
			defer w.Close()
			<-ready
			if err := simulate(ctx, w, testJob(), slots, c.Brief); err != nil && ctx.Err() == nil {
				errs <- err
			}
		})
	}
	connected.Wait()
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	close(ready)
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			fmt.Println(acked.Load())
		case <-done:
			fmt.Println(acked.Load())
			close(errs)
			var all []error
			for err := range errs {
				all = append(all, err)
			}
			return errors.Join(all...)
		}
	}
}

// fed is the store of a run that learns from the games.
type fed struct {
	*train.Store
	saved   atomic.Int64
	repeats atomic.Int64
	steps   atomic.Int64 // minibatches
	made    atomic.Int64 // generations
}

// Keep counts the games.
func (f *fed) Keep(ctx context.Context, r *data.Record, saved func()) (bool, error) {
	if f.Has(r.Hash()) {
		f.repeats.Add(1)
		return f.Store.Keep(ctx, r, saved)
	}
	return f.Store.Keep(ctx, r, func() {
		f.saved.Add(1)
		saved()
	})
}

// Observe counts what is learned.
func (f *fed) Observe(e observe.Event) {
	switch e := e.(type) {
	case *observe.Learned:
		f.steps.Store(e.Step)
	case *observe.Published:
		f.made.Store(int64(e.Generation))
	}
}

// startLearner starts a run with a tiny network and returns its store, and a function that ends the
// run.
func startLearner(t *testing.T, path string) (*fed, func()) {
	t.Helper()
	config := campaignSettings()
	config.Loop.BootstrapGames, config.Loop.GamesPerGeneration, config.Data.GamesPerShard = 1000, 1000, 256
	config.Data.WindowPositions = 100_000
	dir, err := train.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &fed{}
	run, err := train.Open(t.Context(), dir, config, f, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	stores := make(chan *train.Store, 1)
	run.PlayElsewhere(func(ctx context.Context, _ selfplay.Job, _ selfplay.Networks, store *train.Store, _ observe.Observer) error {
		stores <- store
		<-ctx.Done()
		return ctx.Err()
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run.Train(ctx) }()
	f.Store = <-stores
	return f, sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, run.Close(), dir.Close()); err != nil {
			t.Errorf("the learner ended with %v", err)
		}
	})
}

// Many simulated workers lease numbers and hand in games that are really played. They are in a
// process of their own, so what is told of processor and memory is the hub's, with its store. For
// ten minutes with a thousand:
//
//	go test ./internal/hub -run Load -workers 1000 -load 10m -v -timeout 30m
//
// With -learner the games feed a learner with a tiny network in the hub's process, whose memory and
// time are then counted too.
func TestLoad(t *testing.T) {
	run, credentials := t.TempDir(), t.TempDir()
	dir := filepath.Join(run, "games")
	var store GameStore
	var saved, repeats func() int64
	finish, learned := func() {}, func() string { return "" }
	if *withLearner {
		f, stop := startLearner(t, run)
		defer stop()
		store, saved, repeats, finish = f, f.saved.Load, f.repeats.Load, stop
		learned = func() string { return fmt.Sprintf("; learned %d steps, %d generations", f.steps.Load(), f.made.Load()) }
	} else {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		a := newShards(dir)
		store, saved, repeats = a, a.saved.Load, func() int64 { return int64(a.repeats) }
		finish = func() {
			if err := a.writer.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := newSiteOf(t, testJob(), store, func(o *Options) { o.Sample = 0.001 })
	authority, err := s.keys.Authority()
	if err != nil {
		t.Fatal(err)
	}
	for i := range *crowd {
		name := fmt.Sprint("w", i)
		creds, err := s.keys.Add(name, 1, authority)
		if err == nil {
			err = os.WriteFile(filepath.Join(credentials, name+".creds"), creds, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.refresh(); err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "crowd", childConfig{URL: s.server.URL(), Creds: credentials, Brief: *duration == 0})
	begin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the workers say %q", lines.Text())
	}
	began, before, processor := time.Now(), memoryInUse(), processorTime()
	fmt.Fprintln(begin)
	if *duration > 0 {
		defer time.AfterFunc(*duration, func() { cmd.Process.Signal(os.Interrupt) }).Stop()
	}
	acked, told, most := 0, time.Now(), before
	for lines.Scan() {
		if _, err := fmt.Sscan(lines.Text(), &acked); err != nil {
			t.Fatalf("the workers say %q", lines.Text())
		}
		if time.Since(told) > max(*duration/5, time.Second) {
			told = time.Now()
			now := memoryInUse()
			most = max(most, now)
			info, err := s.games.Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			transit := int(info.State.Msgs)
			t.Logf("after %v: %d games acknowledged, %d in shards, %d in transit, %d MB of heap%s", time.Since(began).Round(time.Second), acked, saved(), transit, now, learned())
			if transit > 10*max(*crowd, 100) {
				t.Errorf("%d games are in transit: the hub clears them away too slowly", transit)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the workers ended with %v", err)
	}
	took, used := time.Since(began), processorTime()-processor
	if !*withLearner {
		s.await(t, func() bool {
			finish()
			return saved() >= int64(acked)
		})
	}
	s.await(t, func() bool { return saved() >= int64(acked) })
	summary := learned()
	s.stop()
	finish()
	index, err := data.Scan(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, info := range index.Shards {
		rows += info.Games
	}
	if rows != index.Games || rows < acked || acked == 0 || repeats() > 0 {
		t.Errorf("%d games were acknowledged; the shards have %d rows of %d games; %d came twice", acked, rows, index.Games, repeats())
	}
	for _, a := range s.workers.activities() {
		if a.refused() > 0 {
			t.Errorf("%s: %+v", a.Name, a)
		}
	}
	rate := float64(acked) / took.Seconds()
	t.Logf("%d workers: %d games in %v, %.0f games/s; the hub took %.2f of a core, %.2f for each 1000 games/s; heap %d MB before, at most %d%s",
		*crowd, acked, took.Round(time.Millisecond), rate, used.Seconds()/took.Seconds(), used.Seconds()/float64(acked)*1000, before, most, summary)
}

// simulate leases numbers, plays them and hands them in, until the context ends or, if brief, after
// two leases.
func simulate(ctx context.Context, w *Worker, job selfplay.Job, slots chan struct{}, brief bool) error {
	for round := 0; ctx.Err() == nil && !(brief && round == 2); round++ {
		handed := w.spool.handedIn(mostAsked)
		answer, err := w.request(ctx, request{Want: 4, HandedIn: handed})
		if err != nil {
			continue // the hub is slow: the worker asks again
		}
		w.learnFates(handed, answer.Fates)
		for i := range answer.Count {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			r, err := selfplay.Again(ctx, job, answer.First+uint64(i), eval.Untrained())
			<-slots
			if err != nil {
				return err
			}
			if err := w.spool.Put(ctx, r); err != nil {
				return err
			}
			p, ok := w.spool.next(ctx)
			if !ok {
				return context.Cause(ctx)
			}
			sequence, err := w.publish(ctx, p)
			for err != nil && ctx.Err() == nil {
				sequence, err = w.publish(ctx, p)
			}
			w.spool.done(p, sequence, err)
		}
	}
	for brief && len(w.spool.handedIn(1)) > 0 && ctx.Err() == nil {
		handed := w.spool.handedIn(mostAsked)
		if answer, err := w.request(ctx, request{HandedIn: handed}); err == nil {
			w.learnFates(handed, answer.Fates)
		}
	}
	return nil
}

// Two workers with one core each play at least 1.9 times the games of one, with the settings of the
// preset quick. The machine must be quiet and have two cores. It takes four times the time given:
//
//	go test ./internal/hub -run TwoWorkers -speed 1m -v -timeout 30m
func TestTwoWorkersPlayTwiceTheGames(t *testing.T) {
	if *speed == 0 {
		t.Skip("it measures: give -speed 1m on a quiet machine")
	}
	config := recipe.DefaultConfig()
	if err := settings.Read("quick", nil, &config); err != nil {
		t.Fatal(err)
	}
	job := testJob()
	job.Config, job.Search = config.SelfPlay, config.Search
	path := nettest.Save(t, filepath.Join(t.TempDir(), "net.safetensors"), nettest.New(t, config.Network, 1), map[string]string{"generation": "1"})
	s := newSite(t, job, nil)
	trained, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	s.networks.Store(trained)
	s.await(t, func() bool { return playing(s.Hub).Hash == trained.Hash })
	var second *os.Process
	for _, name := range []string{"a", "b"} {
		file := filepath.Join(t.TempDir(), "creds")
		if err := os.WriteFile(file, s.add(t, name), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := child(t, "worker", childConfig{URL: s.server.URL(), Creds: file, Spool: t.TempDir()})
		cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		second = cmd.Process
		t.Cleanup(func() {
			cmd.Process.Kill()
			cmd.Wait()
		})
	}
	count := func() (games, positions int) {
		s.store.mu.Lock()
		defer s.store.mu.Unlock()
		for _, r := range s.store.games {
			positions += len(r.Decisions)
		}
		return len(s.store.games), positions
	}
	s.await(t, func() bool { return s.activity("a").Games > 4 && s.activity("b").Games > 4 })
	var games, positions [3]float64 // by the number of workers
	for _, workers := range []int{1, 2, 2, 1} {
		if err := suspend(second, workers == 1); err != nil {
			t.Skip(err)
		}
		g, p := count()
		<-time.After(*speed)
		g2, p2 := count()
		games[workers] += float64(g2 - g)
		positions[workers] += float64(p2 - p)
		t.Logf("%d workers: %d games and %d decisions in %v", workers, g2-g, p2-p, *speed)
	}
	t.Logf("two workers play %.2f times the games and %.2f times the decisions of one", games[2]/games[1], positions[2]/positions[1])
	if positions[2]/positions[1] < 1.9 {
		t.Errorf("two workers play %.2f times as much as one, want at least 1.9", positions[2]/positions[1])
	}
}

// memoryInUse returns the megabytes of the heap that are in use.
func memoryInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse >> 20
}
