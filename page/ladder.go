package page

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warren/match"
)

// rated is a fixed opponent of a run's networks, with its rating.
type rated struct {
	Name string  `json:"name"`
	Elo  float64 `json:"elo"`
}

// baselines returns the ratings of the opponents without a network, computed
// from all matches of the run. The scale is that of the series match/elo. Its
// zero is the player that the latest rating names.
func (r *run) baselines() []rated {
	list := []rated{}
	ladders, _ := filepath.Glob(filepath.Join(r.path, "matches", "ladder-*.json"))
	if len(ladders) == 0 {
		return list
	}
	var ladder struct {
		Zero string `json:"zero"`
	}
	if !readJSON(slices.Max(ladders), &ladder) {
		return list
	}
	var pairings []match.Pairing
	paths, _ := filepath.Glob(filepath.Join(r.path, "matches", "gen-*.json"))
	for _, path := range paths {
		var m struct {
			Player   string      `json:"player"`
			Opponent string      `json:"opponent"`
			Score    match.Tally `json:"score"`
		}
		if readJSON(path, &m) && m.Player != "" && m.Opponent != "" {
			pairings = append(pairings, match.Pairing{Player: m.Player, Opponent: m.Opponent, Tally: m.Score})
		}
	}
	standings, err := match.Rate(pairings, ladder.Zero)
	if err != nil {
		return list
	}
	for _, p := range standings.Players {
		if !strings.HasPrefix(p.Name, "gen-") && p.Name != "first" && !math.IsNaN(p.Elo) && !math.IsInf(p.Elo, 0) {
			list = append(list, rated{p.Name, p.Elo})
		}
	}
	return list
}

// readJSON decodes a file into a value and reports whether it succeeded.
func readJSON(path string, into any) bool {
	content, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(content, into) == nil
}
