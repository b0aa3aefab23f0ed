// Package console is what Warren's commands have in common: flags, how they are
// stopped, and how they say what went wrong. Only commands use it.
package console

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// Parse reads the command line into flags, a pointer to a struct as package
// kong takes it, and answers -h. A mistake ends the program with one line.
// Vars are names and values, in turn, that the flags' tags mention as ${name}.
func Parse(flags any, name, description string, vars ...string) {
	values := kong.Vars{}
	for i := 0; i+1 < len(vars); i += 2 {
		values[vars[i]] = vars[i+1]
	}
	kong.Parse(flags, kong.Name(name), kong.Description(description), values,
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}))
}

// Again returns the command line that runs this program once more as it was run.
func Again(name string) string {
	words := slices.Clone(os.Args)
	if strings.Contains(filepath.ToSlash(words[0]), "/go-build") {
		words[0] = "go run ./cmd/" + name // what go run built is gone by then
	}
	for i, word := range words[1:] {
		words[i+1] = Quote(word)
	}
	return strings.Join(words, " ")
}

// Quote returns a word of a command line as it is typed, in quotes if it needs
// them.
func Quote(word string) string {
	if strings.ContainsAny(word, " \t'\"$&|;<>()*?#~\\") {
		return strconv.Quote(word)
	}
	return word
}

// Run calls the command with a context that ends with Ctrl-C (or SIGTERM), and
// ends the program with a line for each error. A second Ctrl-C ends it at once.
func Run(name string, command func(context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
