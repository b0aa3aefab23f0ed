package experiment

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"warren/match"
)

// results are the games of a tournament by the names of the players: how many the
// first won against the second.
type results map[[2]string]count

// readResults reads the log of a tournament, which may be growing. There are none
// if there is no log.
func readResults(path string) (results, error) {
	f, err := os.Open(filepath.Join(path, match.GamesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return results{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading matches: %w", err)
	}
	defer f.Close()
	all := results{}
	seen := map[string]bool{}
	lines := bufio.NewReader(f)
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return all, nil // what is left is being written
		}
		var line struct{ Game *match.GameRecord }
		if err := json.Unmarshal(text, &line); err != nil {
			return nil, fmt.Errorf("reading the matches in %s: %w", path, err)
		}
		g := line.Game
		if g == nil {
			continue
		}
		key := fmt.Sprintf("%s\n%s\n%d", g.Gold, g.Silver, g.Pair)
		if !seen[key] {
			seen[key] = true
			all.add(g.Gold, g.Silver, g.Winner == "gold")
		}
	}
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
