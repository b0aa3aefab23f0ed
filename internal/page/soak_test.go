//go:build !js

package page

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"warren/data"
	"warren/game"
	"warren/internal/metrics"
	"warren/internal/observe"
)

var soak = flag.Duration("soak", 0, "how long TestSoak and TestBrowser keep ten pages open, such as 30m; 0: for a fixed number of requests")

// Ten pages that are open and used leave the memory as it is.
//
//	go test ./internal/page -run TestSoak -soak 30m -timeout 1h -v
func TestSoak(t *testing.T) {
	const pages, warm, rounds = 10, 10, 30
	dir := fixture(t)
	live := &Live{Status: func() metrics.Status { return metrics.Status{Title: "generation 7", Done: 1, Total: 4} }}
	s := serverOf(t, Config{Runs: []string{dir}, Live: live})
	host := httptest.NewServer(s)
	defer host.Close()
	for range pages {
		r, err := http.Get(host.URL + "/api/events")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		go io.Copy(io.Discard, r.Body)
	}
	get := func(path string) {
		r, err := http.Get(host.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", path, r.StatusCode, err)
		}
	}
	post := func(path, body string) {
		r, err := http.Post(host.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", path, r.StatusCode, err)
		}
	}
	g := game.New()
	round := func(n int) {
		for i := range uint64(boards) {
			live.Observe(&observe.GameBegan{Game: i})
			live.Observe(&observe.Acted{Game: i, Before: g, Decision: &data.Decision{Value: 0.5, Action: game.Action(n % 200)}})
			live.Observe(&observe.GameEnded{Record: &data.Record{Game: i}})
		}
		if n%10 == 0 { // the points of a run are kept, so that there must not be too many
			writePoints(t, dir, 12, 12)
			post("/api/analyse", `{"network":"0/1","moves":"1g `+goldSetup+`\n1s `+silverSetup+`\n2g Ee2n Ee3n"}`)
			post("/api/play", `{"player":"random","side":"gold","control":"2/2"}`)
		}
		for i := range pages {
			get("/api/runs/0/series?from=5")
			get(fmt.Sprintf("/api/runs/0/games/%d", (n+i)%20))
			get(fmt.Sprintf("/api/runs/0/games?generation=%d", i%2))
		}
	}
	begin := time.Now()
	for n := range warm {
		round(n)
	}
	low := memory()
	t.Logf("after %d rounds of requests by %d pages: %s", warm, pages, low)
	n, printed := warm, time.Now()
	for ; n < rounds || time.Since(begin) < *soak; n++ {
		round(n)
		if *soak > 0 {
			time.Sleep(500 * time.Millisecond)
		}
		if time.Since(printed) > time.Minute {
			printed = time.Now()
			t.Logf("%v, %d rounds: %s", time.Since(begin).Round(time.Second), n, memory())
		}
	}
	high := memory()
	t.Logf("after %d rounds: %s", n, high)
	if grown := int64(high.heap) - int64(low.heap); grown > 8<<20 {
		t.Errorf("the heap has grown by %d bytes in %d rounds", grown, n-warm)
	}
}

// usage is the memory of this process.
type usage struct {
	heap     uint64
	resident string // on Linux
}

func (u usage) String() string {
	return fmt.Sprintf("%.1f MB on the heap %s", float64(u.heap)/1e6, u.resident)
}

func memory() usage {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	u := usage{heap: m.HeapAlloc}
	status, _ := os.ReadFile("/proc/self/status")
	for line := range bytes.Lines(status) {
		if value, ok := bytes.CutPrefix(line, []byte("VmRSS:")); ok {
			u.resident = "and " + string(bytes.TrimSpace(value)) + " resident"
		}
	}
	return u
}
