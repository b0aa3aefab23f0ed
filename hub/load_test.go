package hub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warren/data"
	"warren/eval"
	"warren/selfplay"
)

// shards is an archive of real shards.
type shards struct {
	*memory
	writer *data.Writer
	mu     sync.Mutex
	tell   map[data.Hash]func()
	saved  atomic.Int64
}

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

func (s *shards) Keep(_ context.Context, r *data.Record, saved func()) error {
	s.memory.mu.Lock()
	if s.games[r.Hash()] != nil {
		s.repeats++
	}
	s.games[r.Hash()] = &data.Record{}
	s.memory.mu.Unlock()
	s.mu.Lock()
	s.tell[r.Hash()] = saved
	s.mu.Unlock()
	return s.writer.Put(r)
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
				w, err = Dial(ctx, WorkerOptions{URL: c.URL, Creds: creds, Open: open, Acknowledged: func(data.Hash) { acked.Add(1) }})
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

// Many simulated workers lease numbers and hand in games that are really played. They are in a
// process of their own, so what is told of processor and memory is the hub's, with its archive. For
// ten minutes with a thousand:
//
//	go test ./hub -run Load -workers 1000 -load 10m -v -timeout 30m
func TestLoad(t *testing.T) {
	dir, credentials := t.TempDir(), t.TempDir()
	archive := newShards(dir)
	s := newSiteOf(t, testJob(), archive, func(o *Options) { o.Sample = 0.001 })
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
			t.Logf("after %v: %d games acknowledged, %d in shards, %d MB of heap", time.Since(began).Round(time.Second), acked, archive.saved.Load(), now)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the workers ended with %v", err)
	}
	took, used := time.Since(began), processorTime()-processor
	s.await(t, func() bool {
		if err := archive.writer.Flush(); err != nil {
			t.Fatal(err)
		}
		return archive.saved.Load() >= int64(acked)
	})
	index, err := data.Scan(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, info := range index.Shards {
		rows += info.Games
	}
	if rows != index.Games || rows < acked || acked == 0 || archive.repeats > 0 {
		t.Errorf("%d games were acknowledged; the shards have %d rows of %d games; %d came twice", acked, rows, index.Games, archive.repeats)
	}
	for _, a := range s.workers.activities() {
		if a.refused() > 0 {
			t.Errorf("%s: %+v", a.Name, a)
		}
	}
	rate := float64(acked) / took.Seconds()
	t.Logf("%d workers: %d games in %v, %.0f games/s; the hub took %.2f of a core, %.2f for each 1000 games/s; heap %d MB before, at most %d",
		*crowd, acked, took.Round(time.Millisecond), rate, used.Seconds()/took.Seconds(), used.Seconds()/float64(acked)*1000, before, most)
}

// simulate leases numbers, plays them and hands them in, until the context ends or, if brief, after
// two leases.
func simulate(ctx context.Context, w *Worker, job selfplay.Job, slots chan struct{}, brief bool) error {
	for round := 0; ctx.Err() == nil && !(brief && round == 2); round++ {
		answer, err := w.request(ctx, request{Want: 4})
		if err != nil {
			continue // the hub is slow: the worker asks again
		}
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
			p, err := w.spool.next(ctx)
			if err != nil {
				return err
			}
			for w.publish(ctx, p) != nil && ctx.Err() == nil {
			}
			if err := w.spool.done(p, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// memoryInUse returns the megabytes of the heap that are in use.
func memoryInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse >> 20
}
