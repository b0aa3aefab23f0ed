//go:build !js

package page

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warren/data"
	"warren/game"
	"warren/internal/metrics"
	"warren/internal/observe"
)

func TestLive(t *testing.T) {
	var l Live
	for n := range uint64(boards + 5) {
		l.Observe(&observe.GameBegan{Game: n})
	}
	if list := l.boards(); len(list) != boards {
		t.Fatalf("%d boards: %v", len(list), list)
	}
	g := game.New()
	act := func(number uint64) {
		l.Observe(&observe.Acted{Game: number, Before: g, Decision: &data.Decision{Action: game.PlaceAction(game.Cat), Value: 0.25}})
	}
	act(2)
	if b := l.boards()[2]; b.Action != 0 {
		t.Error("an action is noted while nobody looks")
	}
	l.watchers.Add(1)
	g.Play(game.PlaceAction(game.Rabbit))
	act(2)
	act(boards + 1) // a game that is not shown
	b := l.boards()[2]
	if b.Game != 2 || b.Board != g.Board().String() || b.Action != game.PlaceAction(game.Cat) || *b.Value != 0.25 || b.Label != "1g" {
		t.Errorf("the board is %+v", b)
	}
	l.Observe(&observe.GameEnded{Record: &data.Record{Game: 2}})
	l.Observe(&observe.GameBegan{Game: 40})
	if b := l.boards()[2]; b.Game != 40 {
		t.Errorf("the place of game 2 has %+v", b)
	}
	l.Observe(&observe.GameEnded{Record: &data.Record{Game: 3}}) // it stays to be seen until another game begins
	if len(l.boards()) != boards {
		t.Error("a game is gone as soon as it ends")
	}
	l.Observe(&observe.PlayingEnded{})
	mustBe(t, "the boards when no game is played any more", len(l.boards()), 0)
}

// event reads the next event of a stream.
func event(t *testing.T, r *bufio.Reader) (name, content string) {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "event: "); ok {
			name = text
		}
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			return name, text
		}
	}
}

// Before the first game has ended, the page does not say that no games are played.
func TestRatesBeforeTheFirstGame(t *testing.T) {
	counts := []metrics.Value{{Name: "games"}, {Name: "evals", Value: 40}}
	l := Live{Status: func() metrics.Status { return metrics.Status{Counts: counts} }}
	r := rates{}
	names := func() (list []string) {
		for _, rate := range r.status(&l).Rates {
			list = append(list, rate.Name)
		}
		return list
	}
	mustBe(t, "the rates before a game has ended", names(), []string{"evals"})
	counts[0].Value = 1
	mustBe(t, "the rates after it", names(), []string{"games", "evals"})
}

// A value that is not a number does not keep the others from the page.
func TestStatusWithoutANumber(t *testing.T) {
	l := Live{Status: func() metrics.Status {
		return metrics.Status{Values: []metrics.Value{{Name: "policy loss", Value: math.NaN()}, {Name: "value loss", Value: 0.5}}}
	}}
	content, err := json.Marshal(rates{}.status(&l))
	if err != nil || !strings.Contains(string(content), `"values":[{"name":"value loss","value":0.5}]`) {
		t.Errorf("the page is told %s, %v", content, err)
	}
}

// A page that is opened between the ends of two games says how many there have been a second.
func TestRatesOfAPageThatIsOpenedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		games := 0.0
		l := Live{Status: func() metrics.Status { return metrics.Status{Counts: []metrics.Value{{Name: "games", Value: games}}} }}
		l.Observe(&observe.Published{})
		time.Sleep(40 * time.Second)
		l.Observe(&observe.GameBegan{})
		games = 10
		r := rates{}
		mustBe(t, "the rate at once", r.status(&l).Rates[0].Value, 0.25)
		time.Sleep(time.Second)
		mustBe(t, "the rate a moment later", r.status(&l).Rates[0].Value, 10.0/41)
		time.Sleep(2 * window)
		r.status(&l)
		time.Sleep(window)
		mustBe(t, "the rate when no game has ended for long", r.status(&l).Rates[0].Value, 0.0)
	})
}

func TestEvents(t *testing.T) {
	dir := fixture(t)
	settings := "loop: {stages: 0.5 data.material_weight.final=0}\ndata: {material_weight: {initial: 0.45, final: 0.45, games: 0}}\n"
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(settings), 0o666); err != nil {
		t.Fatal(err)
	}
	series := filepath.Join(dir, "metrics.jsonl")
	if err := os.Remove(series); err != nil {
		t.Fatal(err)
	}
	stage := sync.OnceFunc(func() {
		lines, err := metrics.OpenLines(series)
		if err != nil {
			t.Error(err)
			return
		}
		defer lines.Close()
		if err := lines.Write(metrics.Point{Step: 13, Values: []metrics.Value{{Name: "learner/stage", Value: 2}}}); err != nil {
			t.Error(err)
		}
	})
	live := &Live{Status: func() metrics.Status {
		stage() // while the first event is made
		return metrics.Status{Title: "generation 7", Done: 1, Total: 4}
	}}
	s := serverOf(t, Config{Runs: []string{dir}, Live: live})
	host := httptest.NewServer(s)
	defer host.Close()
	live.Observe(&observe.GameBegan{Game: 5})
	r, err := http.Get(host.URL + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if kind := r.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("the stream is %s", kind)
	}
	stream := bufio.NewReader(r.Body)
	name, content := event(t, stream)
	var now struct {
		Status liveStatus  `json:"status"`
		Boards []boardInfo `json:"boards"`
		Mixed  bool        `json:"mixed"`
	}
	if err := json.Unmarshal([]byte(content), &now); err != nil || name != "live" || now.Status.Title != "generation 7" || now.Status.Done != 0.25 || len(now.Boards) != 1 || now.Boards[0].Game != 5 || !now.Mixed {
		t.Fatalf("%s %s: %v", name, content, err)
	}
	points := func() {
		t.Helper()
		if name, content := event(t, stream); name != "series" || content != `{"run":0}` {
			t.Errorf("%s %s", name, content)
		}
	}
	points()
	name, content = event(t, stream)
	if err := json.Unmarshal([]byte(content), &now); err != nil || name != "live" || now.Mixed {
		t.Fatalf("when the pieces no longer count: %s %s: %v", name, content, err)
	}
	points()
}

// A reader that takes nothing holds nobody up and costs a bounded amount of memory.
func TestSlowReader(t *testing.T) {
	dir := fixture(t)
	live := &Live{}
	s := serverOf(t, Config{Runs: []string{dir}, Live: live})
	host := httptest.NewServer(s)
	defer host.Close()
	for range 10 {
		c, err := net.Dial("tcp", host.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
	}
	for live.watchers.Load() < 10 {
		runtime.Gosched()
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var workers sync.WaitGroup
	for w := range uint64(4) {
		workers.Go(func() {
			g := game.New()
			d := &data.Decision{Value: 0.5}
			for i := range uint64(100_000) {
				n := w + 4*(i/100)
				if i%100 == 0 {
					live.Observe(&observe.GameBegan{Game: n})
				}
				live.Observe(&observe.Acted{Game: n, Before: g, Decision: d})
				if i%100 == 99 {
					live.Observe(&observe.GameEnded{Record: &data.Record{Game: n}})
				}
			}
		})
	}
	workers.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("400,000 events that nobody read have left %d bytes", grown)
	}
}

func TestTooManyStreams(t *testing.T) {
	s := serverOf(t, Config{Live: &Live{}})
	for range maxStreams {
		s.streams <- struct{}{}
	}
	if code, text := s.problemOf(t, "GET", "/api/events", nil); code != http.StatusServiceUnavailable || text == "" {
		t.Errorf("%d %s", code, text)
	}
	if s.config.Live.watchers.Load() != 0 {
		t.Error("a refused reader counts as one")
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- Open(ctx, "127.0.0.1:0", Config{Live: &Live{}, Start: "play"}, func(url string) { ready <- url })
	}()
	url := <-ready
	if !strings.HasPrefix(url, "http://127.0.0.1:") || !strings.HasSuffix(url, "/#/play") {
		t.Errorf("the page is at %s", url)
	}
	r, err := http.Get(strings.Replace(url, "#/play", "api/events", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := Open(context.Background(), "nowhere:x", Config{}, nil); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a wrong address: %v", err)
	}
}
