//go:build js

package page

import (
	"net/http"
	"time"

	"warren/internal/eval"
	"warren/internal/eval/device"
)

// In a browser there are boards and no runs. What reads games and observes training is left out there, and
// with it the libraries that it needs.

// Live observes nothing.
type Live struct{}

type storedGames struct{ folder string }

func (*Server) listGames(*run, *http.Request) (any, error) { return nil, noRuns() }
func (*Server) showGame(*run, *http.Request) (any, error)  { return nil, noRuns() }

func (*Server) events(w http.ResponseWriter, r *http.Request) {
	http.Error(w, noRuns().Error(), http.StatusNotFound)
}

func noRuns() error { return missing("there are no runs here") }

// load opens the network at a path.
func load(path string) (*eval.Network, error) {
	n, err := device.Load(path, device.Auto)
	if err == nil {
		n.Backend = yielding{n.Backend}
	}
	return n, err
}

// pause is how long a search computes before it lets the browser deliver what has arrived: with one
// thread, nothing else can.
const pause = 50 * time.Millisecond

// yielding is a back end whose streams give way to the browser from time to time.
type yielding struct{ eval.Backend }

func (y yielding) Open(batch int) (eval.Stream, error) {
	s, err := y.Backend.Open(batch)
	return &yieldingStream{s, time.Now()}, err
}

type yieldingStream struct {
	eval.Stream
	last time.Time
}

func (s *yieldingStream) Collect() (*eval.Batch, error) {
	if time.Since(s.last) > pause {
		time.Sleep(time.Nanosecond)
		s.last = time.Now()
	}
	return s.Stream.Collect()
}
