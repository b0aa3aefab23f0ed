package analysis

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// longest is the length of the longest line, in bytes.
const longest = 1 << 20

// Serve reads queries and writes answers, a line each, until the input ends and every position has its
// answer, or the context ends, whose cause it then returns. A query that is wrong is answered with an error.
func Serve(ctx context.Context, c Config, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := &writer{out: out, stop: stop}
	e := newEngine(c, w.send)
	// Whoever waits looks at the context again when it ends.
	defer context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.changed.Broadcast()
	})()
	var threads sync.WaitGroup
	for range c.Threads {
		threads.Go(func() {
			if err := e.run(ctx); err != nil {
				stop(err)
			}
		})
	}
	read := make(chan error, 1) // reading may never return
	go func() {
		read <- e.read(ctx, in)
		e.close()
	}()
	threads.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return <-read
}

// writer writes answers, each as a line at once.
type writer struct {
	mu   sync.Mutex
	out  io.Writer
	stop context.CancelCauseFunc
}

func (w *writer) send(answer any) {
	content, err := json.Marshal(answer)
	if err == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		_, err = w.out.Write(append(content, '\n'))
	}
	if err != nil {
		w.stop(fmt.Errorf("writing an answer: %w", err))
	}
}

// failure is the answer to a query that is wrong.
type failure struct {
	ID    string `json:"id,omitempty"`
	Error string `json:"error"`
	Field string `json:"field,omitempty"` // of the query
}

// read reads queries until the input ends.
func (e *engine) read(ctx context.Context, in io.Reader) error {
	lines := bufio.NewReaderSize(in, longest)
	for ctx.Err() == nil {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = lines.ReadSlice('\n')
			}
			e.send(failure{Error: fmt.Sprintf("a line of more than %d bytes is not read: send its games one by one", longest)})
			line = nil
		}
		if len(bytes.TrimSpace(line)) > 0 {
			e.ask(ctx, line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading queries: %w", err)
		}
	}
	return nil
}

// ask does what a line says.
func (e *engine) ask(ctx context.Context, line []byte) {
	q, err := parse(line)
	if err == nil {
		err = e.do(ctx, q)
	}
	if err != nil {
		f := failure{ID: q.ID, Error: err.Error()}
		if p, ok := errors.AsType[*problem](err); ok {
			f.Field = p.field
		}
		e.send(f)
	}
}

func (e *engine) do(ctx context.Context, q *Query) error {
	switch q.Action {
	case "cancel", "cancel_all":
		e.send(struct {
			ID        string `json:"id"`
			Cancelled int    `json:"cancelled"` // positions that will have no final answer
		}{q.ID, e.cancel(q.ID, q.Action == "cancel_all")})
		return nil
	case "network":
		a := e.config.Network.Attributes()
		e.send(struct {
			ID      string `json:"id"`
			Network string `json:"network"` // its hash
			Device  string `json:"device"`
			Path    string `json:"path"` // how the device computes
			Visits  int    `json:"visits"`
		}{q.ID, e.config.Network.Hash, a.Device, a.Path, e.config.Visits})
		return nil
	}
	games, turns, err := q.positions()
	if err != nil {
		return err
	}
	visits, steps := e.config.Visits, 5
	if q.Visits != nil {
		visits = *q.Visits
	}
	if q.Steps != nil {
		steps = *q.Steps
	}
	if most := int(e.config.Memory / nodeBytes); visits > most {
		return wrong("visits", "%d visits need more memory than there is for trees: at most %d, or more --memory", visits, most)
	}
	var jobs []*job
	for i, g := range games {
		jobs = append(jobs, &job{query: q, game: g, turn: turns[i], visits: visits, steps: steps})
	}
	e.add(ctx, jobs)
	return nil
}
