// Package console contains what Warren's commands have in common: the parsing of flags,
// the handling of interrupts, and the printing of errors.
package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"

	"warren/internal/visible"
)

// Command is a command of Warren, as it was typed.
type Command struct {
	program string   // such as warren; its source is in cmd/program
	words   []string // that name the command, after the program
	args    []string // the rest
}

// Program returns the command line of the program with the given name.
func Program(name string) Command { return Command{program: name, args: os.Args[1:]} }

// Sub returns the command that the first argument names, as in warren play or train worker. There
// must be one.
func (c Command) Sub() Command {
	return Command{c.program, append(slices.Clip(c.words), c.args[0]), c.args[1:]}
}

// Name returns the name of the command in messages and help, such as warren play.
func (c Command) Name() string { return strings.Join(append([]string{c.program}, c.words...), " ") }

// Args returns the arguments, the words after the name.
func (c Command) Args() []string { return c.args }

// First returns the first argument, or "" if there is none.
func (c Command) First() string {
	if len(c.args) == 0 {
		return ""
	}
	return c.args[0]
}

// Executable returns the words that run the command from another process, without its arguments.
func (c Command) Executable() ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	return append([]string{self}, c.words...), nil
}

// Line returns what a person types to run the command with the given arguments.
func (c Command) Line(args ...string) string { return c.line(runtime.GOOS, args) }

func (c Command) line(goos string, args []string) string {
	line := []string{quoteProgram(goos, os.Args[0])}
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") {
		line[0] = "go run ./cmd/" + c.program // go run deletes the binary that it has built
	}
	for _, word := range slices.Concat(c.words, args) {
		line = append(line, quote(goos, word))
	}
	return strings.Join(line, " ")
}

// Again returns the command line that runs the command again with the same arguments.
func (c Command) Again() string { return c.Line(c.args...) }

// Parse parses the command line into flags, a pointer to a struct in the form of package
// kong. It handles -h. If the command line is wrong, it prints one line and ends the
// program. Vars are alternating names, which are strings, and values; the tags of flags refer
// to a value as ${name}, and help to the default as ${default}.
func (c Command) Parse(flags any, description string, vars ...any) {
	values := kong.Vars{}
	for i := 0; i+1 < len(vars); i += 2 {
		values[vars[i].(string)] = fmt.Sprint(vars[i+1])
	}
	out := &writer{Writer: os.Stdout}
	exit := func(status int) {
		if status == 0 && out.err != nil {
			Print(os.Stderr, c.Name(), out.err)
			status = 1
		}
		os.Exit(status)
	}
	parser := kong.Must(flags, kong.Name(c.Name()), kong.Description(description), values, kong.Writers(out, os.Stderr), kong.Exit(exit), filled,
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}))
	if c.Completes() {
		complete(out, parser.Model.Node, c.args)
		exit(0)
	}
	_, err := parser.Parse(joined(c.args))
	parser.FatalIfErrorf(explain(err, c.args))
}

// Absolute returns the absolute path of a file, or what was typed if there is no such path.
func Absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// ErrStopped is the error of a command that a signal has ended early and that has said so: Run prints nothing of it.
var ErrStopped = errors.New("")

// Stopped says what is kept of a command that a signal has ended early, and how to continue. It returns ErrStopped.
func (c Command) Stopped(w io.Writer, what string) error {
	fmt.Fprintf(w, "%s To continue, give the same command again:\n  %s\n", what, c.Again())
	return ErrStopped
}

// interrupted is the exit status of a command that a signal has ended early: the one by which shells know Ctrl-C.
const interrupted = 130

// Run calls run with standard output and a context that is cancelled by Ctrl-C, by SIGTERM and
// by the end of the terminal (SIGHUP, except under nohup). A second Ctrl-C ends the program at once.
// While a match waits for an engine that hangs, it kills the engine instead.
// If run returns an error, or if some of the output could not be written, Run prints each line of
// the error after the name of the command and exits with status 1, or 130 after a signal. The error of the context
// is "stopped".
func (c Command) Run(run func(ctx context.Context, out io.Writer) error) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	heard, stop := signal.NotifyContext(context.Background(), signals...)
	ctx, cancel := context.WithCancelCause(context.Background())
	context.AfterFunc(heard, func() {
		signal.Ignore(syscall.SIGPIPE) // in a pipeline Ctrl-C ends the reader, too, and all is still to be saved
		stop()
		cancel(context.Cause(heard))
	})
	err := call(ctx, os.Stdout, run)
	status := 1
	if ctx.Err() != nil {
		status = interrupted
	}
	stop()
	if err == nil {
		return
	}
	Print(os.Stderr, c.Name(), err)
	os.Exit(status)
}

// Print prints each line of an error after the name of the program, and a repeated line once. Of a full disk, which
// stops the writing of a game and again that of the rest, there is one line, with what to do. So has the first
// line that ends with a permission that was denied. Characters that are not printable are escaped, because an error
// can quote a file.
func Print(w io.Writer, name string, err error) {
	lines := strings.Split(err.Error(), "\n")
	full, refused := slices.IndexFunc(lines, diskFull), slices.IndexFunc(lines, denied)
	for i, line := range lines {
		if line == ErrStopped.Error() || slices.Contains(lines[:i], line) || diskFull(line) && i != full {
			continue
		}
		switch i {
		case full:
			line += "; free some space there, then give the command again"
		case refused:
			line += "; get the permission, or name another one, then give the command again"
		}
		fmt.Fprintf(w, "%s: %s\n", name, visible.Text(line))
	}
}

// diskFull reports whether a line of an error says that a disk, or what a user may have of it, is full. The third
// text is of Windows.
func diskFull(line string) bool {
	return slices.ContainsFunc([]string{syscall.ENOSPC.Error(), syscall.EDQUOT.Error(), "There is not enough space on the disk."},
		func(text string) bool { return strings.Contains(line, text) })
}

// denied reports whether a line of an error ends with what may not be done. The third text is of Windows.
func denied(line string) bool {
	return slices.ContainsFunc([]string{syscall.EACCES.Error(), syscall.EROFS.Error(), "Access is denied."},
		func(text string) bool { return strings.HasSuffix(line, text) })
}

// call calls run. The error includes that of a write to out, unless run returned it.
func call(ctx context.Context, out io.Writer, run func(context.Context, io.Writer) error) error {
	w := &writer{Writer: out}
	err := run(ctx, w)
	// An error of several lines tells more than that.
	if ctx.Err() != nil && errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "\n") {
		err = errors.New("stopped")
	}
	if w.err != nil && !errors.Is(err, w.err) {
		err = errors.Join(err, fmt.Errorf("some of the output is lost: %w", w.err))
	}
	return err
}

// writer remembers the first error.
type writer struct {
	io.Writer
	mu  sync.Mutex
	err error
}

func (w *writer) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err == nil {
			w.err = err
		}
	}
	return n, err
}
