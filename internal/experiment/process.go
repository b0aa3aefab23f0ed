package experiment

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Program says how an experiment starts further processes of its own program.
type Program struct {
	Command []string // the program, and arguments before those of a worker
	Env     []string // added to the present environment
}

// grace is how long a process may take to save its work before it is killed.
const grace = time.Minute

// work starts a worker with low priority on the given number of cores and waits
// for its end. When the context ends, the worker saves its work and ends. That
// is not an error, unless the worker says that it could not or has to be killed.
func (p *Program) work(ctx context.Context, cores int, log string, observe func(news), args ...string) (err error) {
	words := append(append(p.Command[:len(p.Command):len(p.Command)], Worker), args...)
	if nice, err := exec.LookPath("nice"); err == nil {
		words = append([]string{nice, "-n", "19"}, words...)
	}
	said, err := os.OpenFile(log, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return fmt.Errorf("opening a worker's log: %w", err)
	}
	defer said.Close()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Env = append(append(os.Environ(), p.Env...), fmt.Sprintf("GOMAXPROCS=%d", cores))
	c.Stderr = said
	stdin, err := c.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	c.Cancel, c.WaitDelay = stdin.Close, grace
	if err := c.Start(); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("starting a worker: %w", err)
	}
	fmt.Fprintf(said, startLine+"%d: %s\n", c.Process.Pid, strings.Join(args, " "))
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		var n news
		if json.Unmarshal(lines.Bytes(), &n) == nil {
			observe(n)
		}
	}
	err = c.Wait()
	if err == nil || ctx.Err() != nil && saved(err) {
		return nil
	}
	return fmt.Errorf("%w: %s; see %s", err, lastLine(log), log)
}

// saved reports whether a worker that was told to end has saved its work, by the error of waiting for it. One that dies
// of the signal, which a terminal sends to all, does not listen yet and has nothing to save.
func saved(err error) bool {
	failed, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return !errors.Is(err, exec.ErrWaitDelay)
	}
	status, ok := failed.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && slices.Contains([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}, status.Signal())
}

// startLine begins the line of a log that says that a process was started.
const startLine = "# process "

// starts returns how many processes have written to a log.
func starts(path string) int {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return bytes.Count(append([]byte("\n"), content...), []byte("\n"+startLine))
}

// lastLine returns the last line of a log.
func lastLine(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return "nothing is known"
	}
	lines := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	return string(lines[len(lines)-1])
}
