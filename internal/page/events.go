//go:build !js

package page

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"warren/internal/metrics"
)

// The timing of a stream of events.
const (
	beat    = 500 * time.Millisecond // interval between checks of the state
	unheard = 10 * time.Second       // time after which a reader that accepts nothing is dropped
	silence = 20 * time.Second       // time after which an empty comment shows that the stream is alive
	window  = 20 * time.Second       // period over which rates are measured
)

// events sends server-sent events until the reader leaves:
//
//	live    {"status": ..., "boards": [...], "mixed": false}   the state of training
//	series  {"run": 0}                                         a run's series have new points
//
// Each event holds the state at that time. A slow reader misses some events,
// and none are stored for it.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		sendProblem(w, &problem{status: http.StatusServiceUnavailable, text: "too many pages are open"})
		return
	}
	live := s.config.Live
	if live != nil {
		live.watchers.Add(1)
		defer live.watchers.Add(-1)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	stream := stream{w: w, control: http.NewResponseController(w), spoke: time.Now()}
	if stream.write("retry: 2000\n\n") != nil {
		return
	}
	stamps := slices.Repeat([]stamp{{size: -1}}, len(s.runs)) // of no file: the reader may have missed anything before
	rates := rates{}
	mixed := false // whether the boards' values are not chances to win
	var said []byte
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		var err error
		var states []stamp // taken before the files are read, so that the next beat sees what is written meanwhile
		for _, run := range s.runs {
			states = append(states, run.state())
		}
		if live != nil {
			if len(states) > 0 && states[0] != stamps[0] { // another stage may have begun
				mixed = s.runs[0].mixed(math.MaxInt)
			}
			content, _ := json.Marshal(map[string]any{"status": rates.status(live), "boards": live.boards(), "mixed": mixed})
			if !slices.Equal(content, said) {
				said = content
				err = stream.write("event: live\ndata: %s\n\n", content)
			}
		}
		for i, state := range states {
			if state != stamps[i] && err == nil {
				stamps[i] = state
				err = stream.write("event: series\ndata: {\"run\":%d}\n\n", i)
			}
		}
		if err == nil && time.Since(stream.spoke) > silence {
			err = stream.write(":\n\n")
		}
		if err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
		}
	}
}

// stream writes a stream of events to one reader.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	spoke   time.Time
}

// write sends a text. It fails if the reader does not accept it in time.
func (s *stream) write(format string, args ...any) error {
	s.spoke = time.Now()
	// Not every writer supports a deadline. One without it writes to memory.
	s.control.SetWriteDeadline(s.spoke.Add(unheard))
	if _, err := fmt.Fprintf(s.w, format, args...); err != nil {
		return err
	}
	return s.control.Flush()
}

// liveStatus is a status, as sent to the page.
type liveStatus struct {
	Title  string       `json:"title"`
	Done   float64      `json:"done"`  // from 0 to 1
	Rates  []namedValue `json:"rates"` // per second
	Values []namedValue `json:"values"`
	Ended  string       `json:"ended,omitempty"` // what has become of the training, once it is over
}

type namedValue struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// rates measures how fast the counts of a status grow.
type rates map[string]*metrics.Rate

func (r rates) status(l *Live) liveStatus {
	out := liveStatus{Rates: []namedValue{}, Values: []namedValue{}}
	if l.ended.Load() {
		out.Title, out.Done, out.Ended = "over", 1, "Training is finished."
		return out
	}
	if l.Status == nil {
		return out
	}
	now := l.Status()
	out.Title = now.Title
	if now.Total > 0 {
		out.Done = now.Done / now.Total
	}
	for _, c := range now.Counts {
		if r[c.Name] == nil {
			r[c.Name] = metrics.NewRate(window)
			if began := l.began.Load(); began != nil { // a reader who has just come is told the mean so far
				r[c.Name].Add(*began, 0)
			}
		}
		r[c.Name].Add(time.Now(), c.Value)
		if c.Value > 0 { // before the first game has ended, evaluations tell how fast games are played
			out.Rates = append(out.Rates, namedValue{c.Name, r[c.Name].PerSecond()})
		}
	}
	for _, v := range now.Values {
		if finite(v.Value) { // JSON has no other numbers
			out.Values = append(out.Values, namedValue{v.Name, v.Value})
		}
	}
	return out
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
