package session

import (
	"fmt"
	"slices"
	"strings"

	"warren/internal/arena"
	"warren/internal/nearest"
)

// Level is a playing strength of networks.
type Level struct {
	ID     string  `json:"id"`
	Title  string  `json:"title"`
	Visits int     `json:"visits"` // root visits per step
	Heat   float64 `json:"heat"`   // temperature for the whole game; 0: only in the setup
}

// Levels returns the levels, the weakest first.
func Levels() []Level {
	return []Level{
		{"beginner", "Beginner", 2, 1},
		{"casual", "Casual", 12, 0.5},
		{"steady", "Steady", 60, 0},
		{"strong", "Strong", 240, 0},
		{"best", "Best", 1000, 0},
	}
}

// LevelOf returns the level with an ID. If there is none, the error is one line
// with the nearest ID and all of them.
func LevelOf(id string) (Level, error) {
	levels, ids := Levels(), []string(nil)
	for _, l := range levels {
		ids = append(ids, l.ID)
	}
	if i := slices.Index(ids, id); i >= 0 {
		return levels[i], nil
	}
	return Level{}, fmt.Errorf("there is no level %.20q%s (levels: %s)", id, nearest.Hint(id, ids), strings.Join(ids, ", "))
}

// Search returns how a network plays at the level. From the level on that plays its best
// step, it plays as an engine does: it wins where it can and refuses blunders.
func (l Level) Search() arena.SearchSettings {
	search := arena.DefaultSearch()
	search.Visits, search.Temperature, search.Tactics = l.Visits, 1, l.Heat == 0
	if l.Heat > 0 {
		search.Temperature, search.TemperatureTurns = l.Heat, 10000
	}
	return search
}
