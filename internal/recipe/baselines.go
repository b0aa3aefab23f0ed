package recipe

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"warren/internal/arena"
	"warren/internal/quoted"
)

// Baseline is a player that the networks of a run are measured against.
type Baseline struct {
	*arena.Entrant
	Series string // its part of the names of series and of files
}

// Opponents returns the players in Baselines. The error says which name cannot be one
// of them.
func (c *Match) Opponents() ([]Baseline, error) {
	words, err := quoted.Words(c.Baselines)
	if err != nil {
		return nil, fmt.Errorf("match.baselines: %w", err)
	}
	var all []Baseline
	for _, word := range words {
		e, err := (&arena.Names{}).Parse(word)
		if err != nil {
			return nil, fmt.Errorf("match.baselines: %w", err)
		}
		b := Baseline{e, series(e)}
		if taken(b) {
			return nil, fmt.Errorf("match.baselines: the run itself uses the name %q: choose another label", e.Name())
		}
		if slices.ContainsFunc(all, func(other Baseline) bool { return other.Name() == e.Name() || other.Series == b.Series }) {
			return nil, fmt.Errorf("match.baselines: %q has the name of another player: give it a label, as in %s", e.Name(), "greedy:label=NAME")
		}
		all = append(all, b)
	}
	return all, nil
}

// taken reports whether the run itself uses the name of a player: for its networks,
// its series or the files of its matches, or for a player with other settings.
func taken(b Baseline) bool {
	name := b.Name()
	if strings.HasPrefix(name, "gen-") || slices.Contains([]string{"first", "elo", "elo_margin", "gatekeeper"}, name) {
		return true
	}
	other, err := (&arena.Names{}).Parse(name)
	return err == nil && other.Identity != b.Identity
}

// series returns the name of a player in series and files. Every file system accepts
// it, also one that takes a and A for the same. Different labels have different names.
func series(e *arena.Entrant) string {
	var name strings.Builder
	for i := range len(e.Name()) {
		switch c := e.Name()[i]; {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-':
			name.WriteByte(c)
		case e.Name() == e.Identity: // without a label: the program chose the name
			name.WriteByte('-')
		default:
			fmt.Fprintf(&name, "_%02x", c)
		}
	}
	const most = 100
	if name.Len() > most {
		return fmt.Sprintf("%s_%x", name.String()[:most], sha256.Sum256([]byte(e.Name())))[:most+17]
	}
	return name.String()
}
