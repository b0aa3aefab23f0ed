package match

import (
	"errors"
	"fmt"
	"strings"

	"warren/configs"
)

// kind is a kind of player: what its name looks like and how to make one. Parse,
// its errors and the commands' help all follow from this.
type kind struct {
	name     string
	argument string // what its options follow, such as PATH; empty: nothing
	usage    string // an example of a whole name
	help     string // one line
	// options returns the options at their defaults.
	options func(n *Names) options
	// parse, in place of options, reads all that follows the kind's name itself.
	parse func(text string) (*Entrant, error)
}

// kinds are the kinds of players, in the order in which the help lists them.
var kinds = []kind{randomKind, greedyKind, alphaBetaKind, rolloutsKind, networkKind, outsideKind}

// options are the options of a kind of player: a pointer to a struct that package
// configs can read.
type options interface {
	// entrant returns the player with these options. The argument is the one that
	// the kind asks for, and given are the options as they were written.
	entrant(n *Names, argument string, given []string) (*Entrant, error)
	label() string
}

// named is the option that all of our own players have.
type named struct {
	Label string `yaml:"label" doc:"the name of the player in reports"`
}

func (n *named) label() string { return n.Label }

// labelled is a player under another name.
type labelled struct {
	Player
	label string
}

func (l labelled) Name() string { return l.label }

// set lays words of the form key=value over a struct of settings. The error is
// one line, about the first word that is wrong.
func set(words []string, into any) error {
	err := configs.Read("", words, into)
	if problem := (*configs.Problem)(nil); errors.As(err, &problem) {
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
		fmt.Fprintf(&b, "  %-28s  %s\n", k.usage, k.help)
		if k.options == nil {
			continue
		}
		list, err := configs.List(k.options(&Names{Search: DefaultSearch()}))
		if err != nil {
			return err.Error() // a mistake in this package, which its tests find
		}
		section := ""
		for _, s := range list {
			if before, _, nested := strings.Cut(s.Key, "."); nested {
				if before != section {
					fmt.Fprintf(&b, "      %-24s  any setting of the section, such as %s=%s (train --settings lists them)\n", before+".KEY", s.Key, s.Value)
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
			fmt.Fprintf(&b, "      %-24s  %s%s\n", s.Key, s.Doc, allowed)
		}
	}
	b.WriteString("  Every player except aei also takes label=NAME, its name in reports.\n")
	return b.String()
}
