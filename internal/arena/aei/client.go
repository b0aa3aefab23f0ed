package aei

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"os/signal"
	"sync"
	"time"

	"warren/game"
)

// Limits bound what an engine may do to its controller. 0 stands for the default.
type Limits struct {
	Start  time.Duration // from the launch to aeiok; 10 s by default (the protocol's tools allow 5 s)
	Ready  time.Duration // from isready to readyok; 15 s by default
	Quit   time.Duration // from quit to the end of the process, which is then killed; 1 s by default
	Output int64         // bytes written since the last line sent to it; 8 MB by default
}

func (l Limits) orDefault() Limits {
	return Limits{
		Start: cmp.Or(l.Start, 10*time.Second), Ready: cmp.Or(l.Ready, 15*time.Second),
		Quit: cmp.Or(l.Quit, time.Second), Output: cmp.Or(l.Output, 8<<20),
	}
}

// Failure is the error of a client whose engine is at fault: it ended, did not
// answer in time, wrote too much or broke the protocol. The session is then over,
// and the client can only be closed.
type Failure struct {
	Cause string // such as "no readyok within 15s"
}

func (f *Failure) Error() string { return f.Cause }

// Client is the controller's side of a session with an engine, a process that
// the client starts and ends. It reads the engine's output as it comes, even
// while no call waits for it, and keeps only what is needed. A Client is for
// one goroutine at a time.
type Client struct {
	limits  Limits
	process *exec.Cmd
	tree    *tree              // the process and what it starts
	end     context.CancelFunc // kills the process
	write   chan string        // lines to the engine
	closing sync.Once

	// heard carries the lines that answer something. It is closed when the process
	// has ended and all of its output has been read.
	heard chan heard

	mu      sync.Mutex // guards the fields below
	budget  int64      // bytes the engine may still write
	version string     // of the protocol, as the engine says
	broken  string     // why the session is over, if the engine is at fault
	logged  string     // the last line that it logged as an error or a warning
	stderr  tail
}

// Start launches the command, the name of a program and its arguments, and goes
// through the opening phase until the engine is ready. If the program cannot be
// run, the error wraps that of package exec. If the engine does not answer as it
// should, the error is a [Failure].
func Start(ctx context.Context, command []string, limits Limits) (*Client, error) {
	if len(command) == 0 {
		return nil, errors.New("starting an engine: the command is empty")
	}
	alive, end := context.WithCancel(context.Background())
	c := &Client{
		limits: limits.orDefault(), end: end,
		write: make(chan string, waiting), heard: make(chan heard, waiting),
		process: exec.CommandContext(alive, command[0], command[1:]...),
	}
	c.budget = c.limits.Output
	c.process.Cancel = func() error { return c.tree.kill() }
	// If a child of the engine's keeps its output open, the output is given up.
	c.process.WaitDelay = c.limits.Quit
	out := &lineWriter{take: c.hear}
	c.process.Stdout, c.process.Stderr = &meter{c, out}, &c.stderr
	in, err := c.process.StdinPipe()
	if err == nil {
		// The engine's output waits until it is known which processes to kill.
		c.mu.Lock()
		c.tree, err = start(c.process)
		c.mu.Unlock()
	}
	if err != nil {
		end()
		return nil, fmt.Errorf("starting an engine: %w", err)
	}
	go c.send(in)
	go c.reap()
	if err := c.open(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// send passes lines on to the engine, so that an engine that does not read
// cannot block the client.
func (c *Client) send(in io.WriteCloser) {
	for line := range c.write {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			break
		}
	}
	in.Close()
}

// reap waits for the process to end, and ends what it has started.
func (c *Client) reap() {
	c.process.Wait()
	c.fail("the engine ended (%v)", c.process.ProcessState)
	c.tree.close()
	c.end()
	close(c.heard)
}

// fail notes why the session is over. Only the first reason is kept.
func (c *Client) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken == "" {
		c.broken = fmt.Sprintf(format, args...)
	}
}

// say sends a line.
func (c *Client) say(line string) error {
	c.mu.Lock()
	c.budget = c.limits.Output
	broken := c.broken != ""
	c.mu.Unlock()
	if broken {
		return c.failure("")
	}
	select {
	case c.write <- line:
		return nil
	default:
		c.end()
		return c.failure("the engine does not read its input")
	}
}

// failure returns the error of a session that is over: the cause noted before,
// or else the given cause, with the last words of the engine.
func (c *Client) failure(cause string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cause == "" || c.broken != "" {
		cause = c.broken
	}
	c.broken = cause
	if c.logged != "" {
		cause += fmt.Sprintf("; it logged %q", c.logged)
	}
	if last := c.stderr.last(); last != "" {
		cause += fmt.Sprintf("; its last words: %q", last)
	}
	return &Failure{cause}
}

// wait returns the next line of the given kind, and skips others. The limit counts
// from now; what matters is when a line arrived, not when it is read.
func (c *Client) wait(ctx context.Context, kind string, limit time.Duration) (heard, error) {
	begin := time.Now()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	// The time is up only if no line is waiting to be read.
	for expired := false; !expired || len(c.heard) > 0; {
		select {
		case h, ok := <-c.heard:
			switch {
			case !ok:
				return heard{}, c.failure("")
			case h.kind != kind:
			case h.at.Sub(begin) > limit:
				expired = true
			default:
				return h, nil
			}
		case <-timer.C:
			expired = true
		case <-ctx.Done():
			return heard{}, ctx.Err()
		}
	}
	return heard{}, c.failure(fmt.Sprintf("no %s within %v", kind, limit))
}

// open goes through the opening phase.
func (c *Client) open(ctx context.Context) error {
	if err := c.say("aei"); err != nil {
		return err
	}
	if _, err := c.wait(ctx, "aeiok", c.limits.Start); err != nil {
		return err
	}
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	if version == "" {
		return c.failure("the engine sent no protocol-version before aeiok")
	}
	if version != "1" {
		return c.failure(fmt.Sprintf("the engine speaks version %.20q of the protocol, and not 1", version))
	}
	return c.Ready(ctx)
}

// Ready waits until the engine has done everything that it was told.
func (c *Client) Ready(ctx context.Context) error {
	if err := c.say("isready"); err != nil {
		return err
	}
	_, err := c.wait(ctx, "readyok", c.limits.Ready)
	return err
}

// NewGame begins a game from the empty board.
func (c *Client) NewGame() error { return c.say("newgame") }

// SetPosition begins a game on a board.
func (c *Client) SetPosition(b *game.Board, side game.Color) error {
	return c.say("setposition " + game.FormatPosition(b, side))
}

// SetOption sets an option; an empty value is none.
func (c *Client) SetOption(o Option) error {
	if o.Value == "" {
		return c.say("setoption name " + o.Name)
	}
	return c.say("setoption name " + o.Name + " value " + o.Value)
}

// MakeMove plays a turn or setup, written without its number.
func (c *Client) MakeMove(text string) error { return c.say("makemove " + text) }

// Go asks for a move, and returns the engine's answer and the time that it took.
// If there is no answer within the limit, the error is a [Failure].
func (c *Client) Go(ctx context.Context, limit time.Duration) (move string, used time.Duration, err error) {
	// After this, no answer to an earlier question is still on its way.
	if err := c.Ready(ctx); err != nil {
		return "", 0, err
	}
	begin := time.Now()
	if err := c.say("go"); err != nil {
		return "", 0, err
	}
	h, err := c.wait(ctx, "bestmove", limit)
	return h.text, h.at.Sub(begin), err
}

// Logged returns the last line that the engine logged as an error or a warning, such as its
// refusal of a move; "" if there was none.
func (c *Client) Logged() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.logged
}

// Close tells the engine to quit, and kills it if it does not. When Close returns,
// the process has ended.
func (c *Client) Close() error {
	c.closing.Do(func() {
		// A second signal would end this process at once, and leave an engine that hangs.
		signalled, stop := signal.NotifyContext(context.Background(), ending()...)
		defer stop()
		quitting, cancel := context.WithTimeout(signalled, c.limits.Quit)
		defer cancel()
		context.AfterFunc(quitting, c.end)
		c.say("quit") // fails if the engine has already ended
		c.fail("the client is closed")
		close(c.write)
		for range c.heard {
		}
		c.end()
	})
	return nil
}
