package arena

import (
	"errors"
	"fmt"
	"strings"

	"warren/internal/settings"
)

// kind describes a kind of player: the form of its name and how to make a
// player. Parse, its errors and the commands' help are all derived from it.
type kind struct {
	name     string
	argument string // placeholder of the argument before the options, such as PATH; empty: none
	usage    string // an example of a complete name
	help     string // one line
	// options returns the options with their default values.
	options func(n *Names) options
	// like names the kind whose options these are, if the help lists them there.
	like string
	// parse, if set instead of options, parses everything after the kind's name.
	parse func(text string) (*Entrant, error)
}

// kinds lists the kinds of players, in the order of the help.
var kinds = []kind{randomKind, greedyKind, alphaBetaKind, rolloutsKind, boxedKind, networkKind, externalKind}

// options holds the options of a kind of player. It is a pointer to a struct
// that package settings can read.
type options interface {
	// entrant returns the player with these options. argument is the kind's
	// argument, and given holds the options as written.
	entrant(n *Names, argument string, given []string) (*Entrant, error)
	label() string
}

// named holds the option that all built-in players share.
type named struct {
	Label string `yaml:"label" doc:"the name of the player in reports"`
}

func (n *named) label() string { return n.Label }

// plain holds the options of a player that has none of its own.
type plain struct {
	named
	player Player
}

func (p *plain) entrant(*Names, string, []string) (*Entrant, error) {
	return &Entrant{Player: p.player}, nil
}

// labelled is a player with another name.
type labelled struct {
	Player
	label string
}

func (l labelled) Name() string { return l.label }

// set applies words of the form key=value to a struct of settings. The error is
// one line about the first invalid word.
func set(words []string, into any) error {
	err := settings.Read("", words, into)
	if problem, ok := errors.AsType[*settings.Problem](err); ok {
		return fmt.Errorf("%s: %s", problem.Key, problem.Text)
	}
	return err
}

// canonical returns an option with its key spelled as in the settings.
func canonical(word string) string {
	key, value, _ := strings.Cut(word, "=")
	return strings.ReplaceAll(key, "-", "_") + "=" + value
}

// Help describes the kinds of players and their options, for a command's help.
// Every line is indented by two spaces.
func Help() string {
	var b strings.Builder
	for _, k := range kinds {
		entry(&b, "  "+k.usage, k.help)
		if k.options == nil || k.like != "" {
			continue
		}
		list, err := settings.List(k.options(&Names{Search: DefaultSearch()}))
		if err != nil {
			return err.Error() // a bug in this package, caught by its tests
		}
		section := ""
		for _, s := range list {
			if before, _, nested := strings.Cut(s.Key, "."); nested {
				if before != section {
					entry(&b, "      "+before+".KEY", fmt.Sprintf("any setting of the section, such as %s=%s (train --settings lists them)", s.Key, s.Value))
				}
				section = before
				continue
			}
			if s.Key == "label" {
				continue
			}
			allowed := ""
			if s.Allowed != "" {
				allowed = " (" + s.Allowed + ")"
			}
			entry(&b, "      "+s.Key, s.Doc+allowed)
		}
	}
	b.WriteString("  Every player also takes label=NAME, its name in reports (after ; in aei). Quotes keep commas in a path or a\n" +
		"  value, as in 'net:\"a,b\",label=\"x, y\"'; the outer ones are for the shell.\n")
	return b.String()
}

// entry writes a name and its help, in a column that is wrapped.
func entry(b *strings.Builder, name, help string) {
	const column, width = 32, 106
	line := fmt.Sprintf("%-*s", column-1, name)
	for _, word := range strings.Fields(help) {
		if len(line) > column && len(line)+1+len(word) > width {
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", column-1)
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}
