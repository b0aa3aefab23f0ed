package page

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"warren/game"
	"warren/internal/arena"
)

// matchName is the name of a directory with the games of a measurement or of a
// gatekeeper's match.
var matchName = regexp.MustCompile(`^gen-([0-9]{5,9})(-gatekeeper)?$`)

func parseMatch(name string) (generation int, gatekeeper, ok bool) {
	m := matchName.FindStringSubmatch(name)
	if m == nil {
		return 0, false, false
	}
	generation, _ = strconv.Atoi(m[1])
	return generation, m[2] != "", true
}

// matchInfo is a measurement of a network: its games against several opponents.
type matchInfo struct {
	Match      string `json:"match"` // the name that requests use
	Generation int    `json:"generation"`
	Gatekeeper bool   `json:"gatekeeper"`
	Rating     *rated `json:"rating,omitempty"`
}

// matches returns the measurements that have games, the newest first.
func (r *run) matches() ([]matchInfo, error) {
	entries, err := os.ReadDir(filepath.Join(r.path, "matches"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for matches: %w", err)
	}
	_, networks, _ := r.ladder.read(r.path)
	list := []matchInfo{}
	for _, e := range entries {
		generation, gatekeeper, ok := parseMatch(e.Name())
		if !ok || !e.IsDir() {
			continue
		}
		if _, err := os.Stat(filepath.Join(r.path, "matches", e.Name(), arena.GamesFile)); err != nil {
			continue // it has only just begun
		}
		info := matchInfo{Match: e.Name(), Generation: generation, Gatekeeper: gatekeeper}
		if rating, ok := networks[generation]; ok && !gatekeeper {
			info.Rating = &rating
		}
		list = append(list, info)
	}
	// The order of the names is another: generations above 99999 have more digits.
	slices.SortFunc(list, func(a, b matchInfo) int {
		return cmp.Or(cmp.Compare(b.Generation, a.Generation), cmp.Compare(b.Match, a.Match))
	})
	return list, nil
}

// listMatches returns the measurements of a run.
func (s *Server) listMatches(run *run, r *http.Request) (any, error) {
	list, err := run.matches()
	return map[string]any{"matches": list}, err
}

// matchGame is a game of a match, as the page lists it.
type matchGame struct {
	Game   int    `json:"game"` // its place in the log
	Gold   string `json:"gold"`
	Silver string `json:"silver"`
	Winner string `json:"winner"`
	Reason string `json:"reason"`
	Turns  int    `json:"turns"`
}

// log returns the games of a match in the order in which they ended. It skips
// lines that are damaged or not yet complete.
func (r *run) log(name string) ([]arena.GameRecord, error) {
	if _, _, ok := parseMatch(name); !ok {
		return nil, missing("there is no match %.20q", name)
	}
	dir := filepath.Join(r.path, "matches", name)
	if _, err := os.Stat(filepath.Join(dir, arena.GamesFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, missing("the run %s has no games of the match %s", r.name, name)
	}
	var games []arena.GameRecord
	for g, err := range arena.Games(dir) {
		if err != nil {
			return nil, fmt.Errorf("reading the games of a match: %w", err)
		}
		games = append(games, *g)
	}
	return games, nil
}

func (s *Server) listMatchGames(run *run, r *http.Request) (any, error) {
	games, err := run.log(r.PathValue("match"))
	if err != nil {
		return nil, err
	}
	list := []matchGame{}
	for i, g := range games {
		list = append(list, matchGame{i, g.Gold, g.Silver, g.Winner, g.Reason, g.Turns})
	}
	return map[string]any{"games": list}, nil
}

// showMatchGame returns a game of a match, position by position. A match keeps no
// searches, so the page asks a network about the positions.
func (s *Server) showMatchGame(run *run, r *http.Request) (any, error) {
	name := r.PathValue("match")
	games, err := run.log(name)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(r.PathValue("game"))
	if err != nil || n < 0 || n >= len(games) {
		return nil, missing("the match %s has no game %.20q", name, r.PathValue("game"))
	}
	record := &games[n]
	list, err := game.ParseMoveList(record.Moves)
	if len(list.Actions) == 0 {
		return nil, missing("the moves of game %d of the match %s are damaged", n, name)
	}
	shown := replayOf(&studied{start: game.New(), actions: list.Actions})
	if err != nil {
		shown.Problem = err.Error()
	}
	shown.Title = fmt.Sprintf("%s with gold, %s with silver", inWords(record.Gold), inWords(record.Silver))
	shown.Turns, shown.Winner, shown.Reason = record.Turns, record.Winner, record.Reason
	// The network that was measured gives its view of the game.
	generation, _, _ := parseMatch(name)
	shown.Network = s.networkID(run, generation)
	return shown, nil
}

// inWords spells out the name of a network.
func inWords(player string) string {
	if generation, gatekeeper, ok := parseMatch(player); ok && !gatekeeper {
		return fmt.Sprintf("generation %d", generation)
	}
	return player
}
