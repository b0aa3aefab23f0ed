// Command warren learns to play Arimaa by playing itself. It also plays, evaluates and exports what it has
// learned.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"warren/internal/command/analyse"
	"warren/internal/command/bench"
	"warren/internal/command/compare"
	"warren/internal/command/convert"
	"warren/internal/command/docs"
	"warren/internal/command/engine"
	"warren/internal/command/evaluate"
	"warren/internal/command/experiment"
	"warren/internal/command/export"
	"warren/internal/command/learn"
	"warren/internal/command/page"
	"warren/internal/command/perft"
	"warren/internal/command/play"
	"warren/internal/command/puzzles"
	"warren/internal/command/selfplay"
	"warren/internal/command/speed"
	"warren/internal/command/train"
	"warren/internal/console"
	"warren/internal/nearest"
)

// command is a command and what it does, in a few words.
type command struct {
	name, does string
	main       func(console.Command)
}

// first returns the commands that most people need.
func first() []command {
	return []command{
		{"play", "play against the bundled network or another player", play.Main},
		{"train", "train a network by self-play, from nothing", train.Main},
		{"page", "show runs and their games in a browser", page.Main},
		{"evaluate", "play matches and tournaments, and rate the players", evaluate.Main},
		{"engine", "play as an engine in another program", engine.Main},
		{"analyse", "analyse positions for other programs", analyse.Main},
		{"export", "write a network for other programs", export.Main},
		{"speed", "measure this machine", speed.Main},
	}
}

// others returns the rest of the commands.
func others() []command {
	return []command{
		{"learn", "train a network on recorded games", learn.Main},
		{"selfplay", "play games with a network into files", selfplay.Main},
		{"experiment", "compare settings over several seeds", experiment.Main},
		{"compare", "check whether two runs are the same", compare.Main},
		{"convert", "convert the games of an older run", convert.Main},
		{"bench", "compare the network's speed with other programs", bench.Main},
		{"puzzles", "make puzzles from recorded games", puzzles.Main},
		{"perft", "count turns and replay archives", perft.Main},
		{"docs", "show the documents in a browser", docs.Main},
		{"doctor", "say what this machine has, what is wrong, or how a run is doing", doctor},
		{"version", "print the version, the kernels and the devices", version},
		{"completion", "print a script that completes commands and flags in a shell", completion},
	}
}

func commands() []command { return slices.Concat(first(), others()) }

func main() {
	if len(os.Args) > 2 && os.Args[1] == "help" { // help play is play -h
		os.Args = append(slices.Delete(os.Args, 1, 2), "-h")
	}
	c := console.Program("warren")
	switch word := c.First(); word {
	case "", "-h", "--help", "help":
		switch {
		case !c.Completes():
			c.Run(usage)
		case word == "":
			c.Run(complete)
		}
	case "--version":
		version(c.Sub())
	default:
		all := commands()
		i := slices.IndexFunc(all, func(c command) bool { return c.name == word })
		if i < 0 {
			console.Print(os.Stderr, c.Name(), unknown(word, all))
			os.Exit(2)
		}
		all[i].main(c.Sub())
	}
}

func unknown(word string, all []command) error {
	if near := nearest.Of(word, names(all)); near != "" {
		return fmt.Errorf("%q is not a command; did you mean %s?", word, near)
	}
	return fmt.Errorf("%q is not a command; warren alone lists them", word)
}

func names(commands []command) []string {
	var all []string
	for _, c := range commands {
		all = append(all, c.name)
	}
	return all
}

// complete prints the names of the commands, one a line.
func complete(_ context.Context, out io.Writer) error {
	_, err := fmt.Fprintln(out, strings.Join(names(commands()), "\n"))
	return err
}

// usage says in ten lines what one can do.
func usage(_ context.Context, out io.Writer) error {
	fmt.Fprintln(out, "Warren learns the board game Arimaa by playing itself. Type warren, and then:")
	for _, c := range first() {
		fmt.Fprintf(out, "  %-10s %s\n", c.name, c.does)
	}
	rest := names(others())
	last := len(rest) - 1
	fmt.Fprintf(out, "There are also %s and %s.\n", strings.Join(rest[:last], ", "), rest[last])
	fmt.Fprintln(out, "Every command explains itself with -h, for example: warren play -h")
	return nil
}
