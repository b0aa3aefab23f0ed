package hub

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	stdnet "net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"warren/data"
	"warren/internal/durable"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
	"warren/internal/train"
	"warren/net"
)

// The test binary is a learner with its hub, or a worker, when it is told so.
func TestMain(m *testing.M) {
	for name, run := range map[string]func(context.Context, childConfig) error{"learner": learnerChild, "worker": workerChild, "crowd": crowdChild, "nats": natsChild} {
		text, ok := os.LookupEnv("WARREN_HUB_" + name)
		if !ok {
			continue
		}
		var c childConfig
		err := json.Unmarshal([]byte(text), &c)
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		if err == nil {
			err = run(ctx, c)
		}
		stopped := ctx.Err() != nil
		stop() // which ends the context too
		if err != nil && !stopped {
			fmt.Fprintln(os.Stderr, name+":", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

type childConfig struct {
	Run, Listen, URL, Creds, Spool, Config string
	Device                                 string // empty means auto

	Brief bool

	Program string // instead of the test itself
	Back    int    // seconds by which the process's clock is set back, with the program of clocked
}

func child(t *testing.T, name string, c childConfig) *exec.Cmd {
	t.Helper()
	if c.Program == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c.Program = self
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(c.Program)
	cmd.Env = append(os.Environ(), "WARREN_HUB_"+name+"="+string(text), fmt.Sprint("WARREN_CLOCK_BACK=", c.Back))
	return cmd
}

// campaignSettings are those of a run with a tiny network and no end.
func campaignSettings() recipe.Config {
	config := recipe.DefaultConfig()
	config.Loop.Duration, config.Loop.Generations = 0, 99_999
	config.Loop.BootstrapGames, config.Loop.GamesPerGeneration, config.Loop.ReplayRatio = 20, 10, 0.05
	config.Loop.FlushEvery = time.Second
	config.Network = net.Config{Blocks: 1, Channels: 8, PoolEvery: 1, PolicyChannels: 4, ValueChannels: 2, ValueHidden: 8}
	config.SelfPlay, config.Search = testJob().Config, testJob().Search
	config.Data.GamesPerShard, config.Learner.Batch, config.Learner.HeldOut, config.Match.Every = 5, 16, 0, 0
	return config
}

// learnerChild is train --listen with these settings. It says when an interrupt no longer kills it.
func learnerChild(ctx context.Context, c childConfig) error {
	fmt.Println("started")
	config := campaignSettings()
	dir, err := train.OpenDir(c.Run)
	if err != nil {
		return err
	}
	defer dir.Close()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	run, err := train.Open(ctx, dir, config, observe.Nobody, nil, log)
	if err != nil {
		return err
	}
	keys, err := OpenKeys(filepath.Join(c.Run, "hub"))
	if err != nil {
		return err
	}
	server, err := Serve(keys, ServerOptions{Listen: c.Listen})
	if err != nil {
		return err
	}
	defer server.Close()
	h, err := Open(ctx, Options{Keys: keys, Server: server, Open: open, Sample: 0.1, Log: log})
	if err != nil {
		return err
	}
	defer h.Close()
	run.PlayElsewhere(func(ctx context.Context, job selfplay.Job, networks selfplay.Networks, store *train.Store, observer observe.Observer) error {
		return h.Play(ctx, job, networks, store, observer)
	})
	if err := run.Train(ctx); err != nil {
		return err
	}
	return run.Close()
}

// workerChild is selfplay --connect. It says when an interrupt no longer kills it, and then what the hub
// has acknowledged.
func workerChild(ctx context.Context, c childConfig) error {
	fmt.Println("started")
	creds, err := os.ReadFile(c.Creds)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	said := func(h data.Hash) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(h)
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		w, err := Dial(ctx, WorkerOptions{URL: c.URL, Creds: creds, Spool: c.Spool, Open: openOn(c.Device), acknowledged: said,
			Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
		if err == nil {
			err = w.Play(ctx, 1, 4, observe.Nobody)
			last, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			w.Flush(last)
			cancel()
			if closeErr := w.Close(); closeErr != nil {
				return closeErr
			}
			return err
		}
		select { // the hub may be down
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// proxy carries connections to the hub, and can cut them.
type proxy struct {
	listener stdnet.Listener
	to       string

	mu     sync.Mutex
	conns  map[stdnet.Conn]bool
	broken bool // new connections end at once
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := stdnet.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: to, conns: map[stdnet.Conn]bool{}}
	t.Cleanup(func() {
		l.Close()
		p.cut(true)
	})
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go p.carry(from)
		}
	}()
	return p
}

func (p *proxy) carry(from stdnet.Conn) {
	defer from.Close()
	to, err := stdnet.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer to.Close()
	p.mu.Lock()
	broken := p.broken
	p.conns[from], p.conns[to] = true, true
	p.mu.Unlock()
	if broken {
		return
	}
	go func() {
		io.Copy(to, from)
		to.Close()
	}()
	io.Copy(from, to)
	p.mu.Lock()
	delete(p.conns, from)
	delete(p.conns, to)
	p.mu.Unlock()
}

// cut ends all connections, wherever in a message they are. Broken says whether new ones end at once.
func (p *proxy) cut(broken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = broken
	for c := range p.conns {
		c.Close()
	}
}

// freeAddresses returns n addresses of this machine that nobody listens on. Their ports are below those
// that systems give to connections and to whoever asks for any port, so that nobody takes one while the
// process that listens there is down.
func freeAddresses(t *testing.T, n int) (addresses []string) {
	t.Helper()
	for range 1000 {
		l, err := stdnet.Listen("tcp", fmt.Sprint("127.0.0.1:", 10_000+rand.IntN(20_000)))
		if err != nil {
			continue
		}
		defer l.Close()
		if addresses = append(addresses, l.Addr().String()); len(addresses) == n {
			return addresses
		}
	}
	t.Fatal("no ports are free")
	return nil
}

// campaign is a learner and its workers, of which processes are killed.
type campaign struct {
	t     *testing.T
	acks  chan data.Hash
	acked map[data.Hash]bool
	logs  string // directory

	learner *exec.Cmd
	config  childConfig
	workers []*exec.Cmd
	configs []childConfig
}

// start starts a process, waits until it hears interrupts and then reads the hashes of acknowledged games
// that it prints.
func (c *campaign) start(name string, config childConfig) *exec.Cmd {
	c.t.Helper()
	cmd := child(c.t, name, config)
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	log, err := os.OpenFile(filepath.Join(c.logs, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() }) // of one that has not ended
	started := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(out)
		lines.Scan() // nothing comes if it ends before
		close(started)
		for lines.Scan() {
			if h, err := hex.DecodeString(lines.Text()); err == nil && len(h) == len(data.Hash{}) {
				c.acks <- data.Hash(h)
			}
		}
	}()
	<-started
	return cmd
}

// acknowledged takes note of acknowledged games until n have come or the time is over.
func (c *campaign) acknowledged(n int, atMost time.Duration) {
	deadline := time.After(atMost)
	for n > 0 {
		select {
		case h := <-c.acks:
			c.acked[h] = true
			n--
		case <-deadline:
			return
		}
	}
}

func (c *campaign) kill(cmd *exec.Cmd) {
	if err := cmd.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	cmd.Wait()
}

// interrupt has a process end as Ctrl-C does, or kills it after a while.
func (c *campaign) interrupt(cmd *exec.Cmd) {
	cmd.Process.Signal(os.Interrupt)
	kill := time.AfterFunc(longest, func() { cmd.Process.Kill() })
	defer kill.Stop()
	if err := cmd.Wait(); err != nil {
		c.t.Errorf("it did not end well: %v", err)
	}
}

// counts are the faults of a campaign.
type counts struct {
	learners, workers     int // killed
	cuts, breaks          int // of all connections; and for a while
	truncated             int // games in spools
	moved                 int // times that the run was renamed, copied or reached by a link
	full, clocks, exactly int // times that the disk was full, that a clock was set back, that a checkpoint was compared
}

// Learner, hub and workers are killed at random, connections are cut and healed, the disk is full, the
// clock is set back, a spool is truncated, and the run is renamed, copied and reached by links. In the end every game that was acknowledged is in the
// shards once, and after every kill the learner continued from its checkpoint exactly. With 200 kills:
//
//	go test ./internal/hub -run Campaign -campaign 200 -v -timeout 90m
//
// The disk can be full where a file system may be mounted, which needs root. Clocks are set back with
// 20 kills or more, because all of Go's library is built for that.
func TestCampaign(t *testing.T) {
	if _, err := os.FindProcess(os.Getpid()); err != nil || os.PathSeparator == '\\' {
		t.Skip("this system has no interrupts to send")
	}
	rng := rand.New(rand.NewPCG(uint64(*kills), 7))
	dir := t.TempDir()
	c := &campaign{t: t, acks: make(chan data.Hash, 1<<16), acked: map[data.Hash]bool{}, logs: dir}
	space := newDisk(t, filepath.Join(dir, "disk"))
	if space.why != "" {
		t.Logf("the disk is never full: %s", space.why)
	}
	program := ""
	if *kills >= 20 {
		var why string
		if program, why = clocked(t); why != "" {
			t.Logf("no clock is set back: %s", why)
		}
	}
	address := freeAddresses(t, 1)[0]
	c.config = childConfig{Run: filepath.Join(dir, "disk", "run"), Listen: "nats://" + address, Program: program}
	p := newProxy(t, address)
	keys, err := OpenKeys(filepath.Join(c.config.Run, "hub"))
	if err != nil {
		t.Fatal(err)
	}
	authority, err := keys.Authority()
	if err != nil {
		t.Fatal(err)
	}
	c.learner = c.start("learner", c.config)
	for i := range 3 {
		creds, err := keys.Add(fmt.Sprint("w", i), 4, authority)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, fmt.Sprint("w", i, ".creds"))
		if err := os.WriteFile(file, creds, 0o600); err != nil {
			t.Fatal(err)
		}
		config := childConfig{URL: "nats://" + p.listener.Addr().String(), Creds: file, Spool: filepath.Join(dir, fmt.Sprint("spool", i)), Program: program}
		c.configs = append(c.configs, config)
		c.workers = append(c.workers, c.start("worker", config))
	}
	c.acknowledged(3, 30*time.Second)
	var n counts
	back := func(config *childConfig) {
		config.Back = 0
		if program != "" && rng.IntN(3) == 0 {
			config.Back = 1 + rng.IntN(12*3600)
			n.clocks++
		}
	}
	restart := func() {
		if exact(t, c.config.Run) {
			n.exactly++
		}
		back(&c.config)
		n.moved += c.move(rng)
		c.learner = c.start("learner", c.config)
	}
	fill := func() {
		space.fill()
		n.full++
		ended := make(chan struct{})
		go func() {
			c.learner.Wait()
			close(ended)
		}()
		c.acknowledged(50, 10*time.Second) // or for as long as it can
		c.learner.Process.Kill()
		<-ended
		space.free()
		restart()
	}
	for n.learners+n.workers < *kills {
		switch x := rng.IntN(21); {
		case x < 8:
			c.kill(c.learner)
			n.learners++
			c.acknowledged(rng.IntN(3), time.Second) // what was on its way
			restart()
		case x < 16:
			i := rng.IntN(len(c.workers))
			c.kill(c.workers[i])
			n.workers++
			if rng.IntN(2) == 0 {
				n.truncated += truncate(t, rng, c.configs[i].Spool)
			}
			back(&c.configs[i])
			c.workers[i] = c.start("worker", c.configs[i])
		case x < 18:
			p.cut(false)
			n.cuts++
		case x < 20:
			p.cut(true)
			n.breaks++
			c.acknowledged(5, 3*time.Second)
			p.cut(false)
		case space.path != "":
			fill()
		}
		c.acknowledged(1+rng.IntN(8), 20*time.Second)
	}
	if n.full == 0 && space.path != "" {
		fill()
	}
	c.acknowledged(10, 30*time.Second)
	for _, w := range c.workers {
		c.interrupt(w)
	}
	c.acknowledged(1<<30, time.Second)
	c.finish(n)
}

// move renames the run's directory, has a copy take its place, or reaches it by a link from now on. It
// returns how often it did.
func (c *campaign) move(rng *rand.Rand) int {
	kind := rng.IntN(6)
	if kind > 2 {
		return 0
	}
	before, err := filepath.EvalSymlinks(c.config.Run)
	if err != nil {
		c.t.Fatal(err)
	}
	to := filepath.Join(filepath.Dir(before), fmt.Sprintf("run-%x", rng.Uint64()))
	switch kind {
	case 0:
		err = os.Rename(before, to)
	case 1:
		err = os.Symlink(before, to)
	default:
		if err = os.CopyFS(to, os.DirFS(before)); err == nil {
			err = os.RemoveAll(before)
		}
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.config.Run = to
	return 1
}

// finish waits until the learner has everything, stops it and counts.
func (c *campaign) finish(n counts) {
	t := c.t
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	games := filepath.Join(c.config.Run, "games") // where it is now
	missing := func() (n int, index *data.Index) {
		index, err := data.Scan(games, nil)
		if err != nil {
			t.Fatal(err)
		}
		for h := range c.acked {
			if !index.HasRecord(h) {
				n++
			}
		}
		return n, index
	}
	for range 600 {
		if n, _ := missing(); n == 0 {
			break
		}
		<-tick.C
	}
	c.interrupt(c.learner)
	lost, index := missing()
	rows, numbers := 0, map[uint64]int{}
	for _, info := range index.Shards {
		rows += info.Games
		shard, err := data.OpenShard(info.Path)
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range shard.Records() {
			if err != nil {
				t.Fatal(err)
			}
			numbers[r.Game]++
		}
	}
	for number, n := range numbers {
		if n > 1 {
			t.Errorf("game %d is stored %d times", number, n)
		}
	}
	if lost > 0 || rows != index.Games || len(index.Damaged) > 0 {
		t.Errorf("%d acknowledged games are lost; %d rows of %d games; damaged %v", lost, rows, index.Games, index.Damaged)
	}
	if len(c.acked) == 0 {
		t.Error("nothing was acknowledged")
	}
	said, err := os.ReadFile(filepath.Join(c.logs, "worker.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(said)) {
		if strings.Contains(line, "refused") || strings.Contains(line, "removed") {
			t.Errorf("a worker says %s", line)
		}
	}
	log, err := os.ReadFile(filepath.Join(c.logs, "learner.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, "panic:") || strings.Contains(line, "cut off") || strings.Contains(line, "damaged") {
			t.Errorf("the learner says %s", line)
		}
		if strings.HasPrefix(line, "learner: ") && !strings.Contains(line, "no space left") && !strings.Contains(line, "disk full") {
			t.Errorf("the learner ended with %s", line)
		}
	}
	fmt.Printf("campaign: learner and hub killed %d times, workers %d times; connections cut %d times and broken for a while %d times; "+
		"the disk full %d times; clocks set back %d times; %d games truncated in spools; the run moved %d times; the learner continued from its checkpoint exactly %d times: "+
		"%d games acknowledged, %d of them lost; the shards have %d rows of %d games\n",
		n.learners, n.workers, n.cuts, n.breaks, n.full, n.clocks, n.truncated, n.moved, n.exactly, len(c.acked), lost, rows, index.Games)
}

// truncate cuts a game of a spool short, if there is one, and returns how many it cut.
func truncate(t *testing.T, rng *rand.Rand, spool string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(spool, "*"+spoolSuffix))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil || durable.IsTemp(path) {
			continue
		}
		if err := os.Truncate(path, rng.Int64N(info.Size())); err != nil {
			t.Fatal(err)
		}
		return 1
	}
	return 0
}
