// Package console contains what Warren's commands have in common: the parsing of flags,
// the handling of interrupts, and the printing of errors. Only commands import it.
package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"

	"warren/internal/visible"
)

// Parse parses the command line into flags, a pointer to a struct in the form of package
// kong. It handles -h. If the command line is wrong, it prints one line and ends the
// program. Vars are alternating names and values; the tags of flags refer to a value as
// ${name}.
func Parse(flags any, name, description string, vars ...string) {
	values := kong.Vars{}
	for i := 0; i+1 < len(vars); i += 2 {
		values[vars[i]] = vars[i+1]
	}
	out := &writer{Writer: os.Stdout}
	exit := func(status int) {
		if status == 0 && out.err != nil {
			Print(os.Stderr, name, out.err)
			status = 1
		}
		os.Exit(status)
	}
	parser := kong.Must(flags, kong.Name(name), kong.Description(description), values, kong.Writers(out, os.Stderr), kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}))
	_, err := parser.Parse(joined(os.Args[1:]))
	parser.FatalIfErrorf(explain(err))
}

// Program returns what a command line that runs this program again begins with.
func Program(name string) string {
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") {
		return "go run ./cmd/" + name // go run deletes the binary that it has built
	}
	return Quote(os.Args[0])
}

// Again returns the command line that runs this program again with the same arguments.
func Again(name string) string {
	words := []string{Program(name)}
	for _, word := range os.Args[1:] {
		words = append(words, Quote(word))
	}
	return strings.Join(words, " ")
}

// Quote returns a word as it must be typed in a command line, in quotes if necessary.
func Quote(word string) string {
	if word == "" || strings.ContainsAny(word, " \t\n'\"`$&|;<>()[]{}*?!#~\\") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// Run calls command with standard output and a context that is cancelled by Ctrl-C, by SIGTERM and
// by the end of the terminal (SIGHUP, except under nohup). A second Ctrl-C ends the program at once.
// If command returns an error, or if some of the output could not be written, Run prints each line of
// the error after the name of the program and exits with status 1.
func Run(name string, command func(ctx context.Context, out io.Writer) error) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Stdout, command)
	stop()
	if err == nil {
		return
	}
	Print(os.Stderr, name, err)
	os.Exit(1)
}

// Print prints each line of an error after the name of the program. Characters that are not
// printable are escaped, because an error can quote a file.
func Print(w io.Writer, name string, err error) {
	for _, line := range strings.Split(err.Error(), "\n") {
		fmt.Fprintf(w, "%s: %s\n", name, visible.Text(line))
	}
}

// run calls command. The error includes that of a write to out, unless command returned it.
func run(ctx context.Context, out io.Writer, command func(context.Context, io.Writer) error) error {
	w := &writer{Writer: out}
	err := command(ctx, w)
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
