package experiment

import (
	"fmt"

	"warren/internal/arena"
)

// results are the games of a tournament by the names of the players: how many the
// first won against the second.
type results map[[2]string]count

// readResults reads the log of a tournament, which may be growing. There are none
// if there is no log.
func readResults(path string) (results, error) {
	all := results{}
	seen := map[string]bool{}
	for g, err := range arena.Games(path) {
		if err != nil {
			return nil, fmt.Errorf("reading the matches in %s: %w", path, err)
		}
		key := fmt.Sprintf("%s\n%s\n%d", g.Gold, g.Silver, g.Pair)
		if !seen[key] {
			seen[key] = true
			all.add(g.Gold, g.Silver, g.Winner == "gold")
		}
	}
	return all, nil
}

// add counts a game.
func (r results) add(a, b string, won bool) {
	first, second := r[[2]string{a, b}], r[[2]string{b, a}]
	first.games++
	second.games++
	if won {
		first.wins++
	} else {
		second.wins++
	}
	r[[2]string{a, b}], r[[2]string{b, a}] = first, second
}

// games returns how many games there are.
func (r results) games() int {
	n := 0
	for _, c := range r {
		n += c.games
	}
	return n / 2
}
