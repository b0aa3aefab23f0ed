package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// process is another program that answers requests, one at a time. Requests and answers are
// lines of JSON. Its first line, before any request, contains its name.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errors  *lastLine
}

// request is a request to a process. Op is infer, train, outputs (write all outputs to the file
// Path) or losses (return the losses of the first Steps training steps).
type request struct {
	Op      string  `json:"op"`
	Batch   int     `json:"batch"`
	Threads int     `json:"threads"`
	Seconds float64 `json:"seconds,omitempty"`
	Path    string  `json:"path,omitempty"`
	Steps   int     `json:"steps,omitempty"`
}

type answer struct {
	Error  string       `json:"error"`
	Name   string       `json:"name"`
	Rate   float64      `json:"rate"` // positions per second
	Way    string       `json:"way"`  // in which it was done, if there are several
	Losses [][2]float64 `json:"losses"`
}

// lastLine is a writer that keeps the last line that contains "Error", or, if there is none, the
// last line that is not blank.
type lastLine struct {
	mu   sync.Mutex
	text string
}

func (l *lastLine) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line != "" && (strings.Contains(line, "Error") || !strings.Contains(l.text, "Error")) {
			l.text = line
		}
	}
	return len(b), nil
}

func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text
}

// startProcess starts a program and returns it with its name. The program is killed when the
// context is done.
func startProcess(ctx context.Context, program string, args ...string) (p *process, name string, err error) {
	p = &process{command: exec.CommandContext(ctx, program, args...), errors: &lastLine{}}
	p.command.Stderr = p.errors
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, "", err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	p.out = bufio.NewReader(out)
	if err := p.command.Start(); err != nil {
		return nil, "", err
	}
	hello, err := p.read()
	if err != nil {
		p.close()
		return nil, "", err
	}
	return p, hello.Name, nil
}

// ask sends a request and waits for its answer.
func (p *process) ask(r request) (answer, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return answer{}, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return answer{}, fmt.Errorf("%s has ended: %w", p.command.Path, err)
	}
	return p.read()
}

func (p *process) read() (answer, error) {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		p.close() // wait for its error output
		if words := p.errors.String(); words != "" {
			return answer{}, fmt.Errorf("%s ended: %s", p.command.Path, words)
		}
		return answer{}, fmt.Errorf("%s ended without an error message", p.command.Path)
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return answer{}, fmt.Errorf("%s gave an invalid answer: %.80q", p.command.Path, line)
	}
	if a.Error != "" {
		return answer{}, errors.New(a.Error)
	}
	return a, nil
}

// close closes the input of the process, which ends it, and waits for it.
func (p *process) close() {
	p.in.Close()
	p.command.Wait()
}

// peer is an engine to compare with. It has one process, and for evaluations up to one process
// per thread.
type peer struct {
	name      string
	processes []*process
	start     func() (*process, string, error)
	trains    bool
	device    bool   // it computes on a device, in one process
	how       string // the way of its newest rate, in its own words
}

func startPeer(ctx context.Context, program string, args ...string) (*peer, error) {
	p := &peer{}
	p.start = func() (*process, string, error) { return startProcess(ctx, program, args...) }
	first, name, err := p.start()
	if err != nil {
		return nil, err
	}
	p.name, p.processes = name, []*process{first}
	return p, nil
}

// way is one of several ways in which an engine can do a job.
type way struct {
	name string
	run  func() (float64, error)
}

// ways returns the ways in which the peer can use several threads: all on one batch, or, for
// evaluations, each on its own batches in its own process.
func (p *peer) ways(j job) []way {
	if p.device {
		return []way{{"one stream", func() (float64, error) { return p.rate(p.processes[0], j) }}}
	}
	together := way{fmt.Sprintf("%d threads", j.threads), func() (float64, error) { return p.rate(p.processes[0], j) }}
	if j.threads == 1 || j.op != inference {
		return []way{together}
	}
	return []way{together, {fmt.Sprintf("%d processes", j.threads), func() (float64, error) { return p.apart(j) }}}
}

func (p *peer) rate(on *process, j job) (float64, error) {
	a, err := on.ask(request{Op: j.op, Batch: j.batch, Threads: j.threads, Seconds: j.time.Seconds()})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", p.name, err)
	}
	if on == p.processes[0] {
		p.how = a.Way
	}
	return a.Rate, nil
}

// apart runs the job in several processes at once, with one thread each.
func (p *peer) apart(j job) (float64, error) {
	for len(p.processes) < j.threads {
		more, _, err := p.start()
		if err != nil {
			return 0, fmt.Errorf("another process of %s: %w", p.name, err)
		}
		p.processes = append(p.processes, more)
	}
	one := j
	one.threads = 1
	rates, errs := make(rates, j.threads), make([]error, j.threads)
	var all sync.WaitGroup
	for i := range j.threads {
		all.Go(func() { rates[i], errs[i] = p.rate(p.processes[i], one) })
	}
	all.Wait()
	return rates.sum(), errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil })...)
}

// outputs returns the policies and values of all positions, evaluated in batches.
func (p *peer) outputs(batch, threads int, path string) ([]byte, error) {
	if _, err := p.processes[0].ask(request{Op: "outputs", Batch: batch, Threads: threads, Path: path}); err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return os.ReadFile(path)
}

func (p *peer) losses(batch, threads, steps int) ([][2]float64, error) {
	a, err := p.processes[0].ask(request{Op: "losses", Batch: batch, Threads: threads, Steps: steps})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return a.Losses, nil
}

func (p *peer) close() {
	for _, process := range p.processes {
		process.close()
	}
}
