// Package console contains what Warren's commands have in common: the parsing of flags,
// the handling of interrupts, and the printing of errors. Only commands import it.
package console

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
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
	parser := kong.Must(flags, kong.Name(name), kong.Description(description), values,
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

// Run calls command with a context that is cancelled by Ctrl-C, by SIGTERM and by the end of the
// terminal (SIGHUP, except under nohup). A second Ctrl-C ends the program at once. If command
// returns an error, Run prints each line of it after the name of the program and exits with status 1.
func Run(name string, command func(context.Context) error) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	err := command(ctx)
	stop()
	if err == nil {
		return
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		fmt.Fprintf(os.Stderr, "%s: %s\n", name, line)
	}
	os.Exit(1)
}
