package page

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"

	"warren/internal/arena"
	"warren/internal/durable"
)

// rated is a player with its rating, on the scale of the run's series match/elo
// unless Zero is set.
type rated struct {
	Name   string  `json:"name"`
	Elo    float64 `json:"elo"`
	Margin float64 `json:"margin"` // half the 95% interval
	Visits int     `json:"visits,omitempty"`
	Zero   string  `json:"zero,omitempty"` // the player whose rating is 0, if it is another than that of match/elo
}

// ladder holds the ratings of a run's players. It reads them again when there is
// a new rating.
type ladder struct {
	mu        sync.Mutex
	newest    string // file name of the latest rating when the rest was read
	zero      string // the player whose rating is 0
	baselines []rated
	networks  map[int]rated // by generation
}

// read reads the ratings of the run at path. The baselines are rated by all
// matches of the run, and a network has the rating of its measurement.
func (l *ladder) read(path string) (baselines []rated, networks map[int]rated, zero string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	files, _ := durable.List(filepath.Join(path, "matches"), "ladder-*.json")
	if len(files) == 0 {
		return []rated{}, nil, ""
	}
	if newest := files[len(files)-1]; newest != l.newest {
		l.newest, l.networks = newest, map[int]rated{}
		visits := l.rateBaselines(path, newest)
		for _, file := range files {
			var r struct {
				Generation  int
				Elo, Margin float64
			}
			if readJSON(file, &r) && finite(r.Elo) && finite(r.Margin) {
				l.networks[r.Generation] = rated{Name: generationName(r.Generation), Elo: r.Elo, Margin: r.Margin, Visits: visits}
			}
		}
	}
	return l.baselines, l.networks, l.zero
}

// rateBaselines rates the opponents without a network. It returns the visits of
// the networks in the latest match.
func (l *ladder) rateBaselines(path, newest string) (visits int) {
	l.baselines = []rated{}
	var ladder struct {
		Zero string `json:"zero"`
	}
	if !readJSON(newest, &ladder) {
		return 0
	}
	l.zero = ladder.Zero
	var records []matchRecord
	var latest matchRecord
	files, _ := durable.List(filepath.Join(path, "matches"), "gen-*.json")
	for _, file := range files {
		var m matchRecord
		if !readJSON(file, &m) {
			continue
		}
		if m.Opponent == "first" { // earlier versions named the first network so
			m.Opponent = generationName(0)
		}
		if m.Player != "" && m.Opponent != "" && m.Player != m.Opponent && m.Score.Validate() == nil {
			records, latest = append(records, m), m
		}
	}
	var pairings []arena.Pairing
	for i := range records {
		m := &records[i]
		pairings = append(pairings, arena.Pairing{Player: m.named(m.Player, l.zero, latest.Search), Opponent: m.named(m.Opponent, l.zero, latest.Search), Tally: m.Score})
	}
	standings, err := arena.Rate(pairings, l.zero)
	if err != nil {
		return latest.Visits
	}
	for _, p := range standings.Players {
		if !strings.HasPrefix(p.Name, "gen-") && finite(p.Elo) {
			margin := p.Margin
			if !finite(margin) {
				margin = 0
			}
			l.baselines = append(l.baselines, rated{Name: p.Name, Elo: p.Elo, Margin: margin})
		}
	}
	return latest.Visits
}

// matchRecord is a match of the run, as package train saves it.
type matchRecord struct {
	Player      string            `json:"player"`
	Opponent    string            `json:"opponent"`
	Visits      int               `json:"visits"`
	Temperature float64           `json:"temperature"`
	Turns       int               `json:"temperature_turns"`
	Search      map[string]string `json:"search"` // earlier versions have none
	Score       arena.Tally       `json:"score"`
}

// named returns the name of a player of the match on the ladder. As in the rating by
// package train, a network that searches differently is a different player, and a
// setting that the record or present lacks, as one of another version may, makes no
// difference.
func (m *matchRecord) named(player, zero string, present map[string]string) string {
	if !strings.HasPrefix(player, "gen-") || player == zero {
		return player
	}
	different := map[string]string{}
	for setting, value := range m.Search {
		if now, known := present[setting]; known && value != now {
			different[setting] = value
		}
	}
	return fmt.Sprintf("%s %d %g %d %v", player, m.Visits, m.Temperature, m.Turns, different) // a map is written in order
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// generationName names a network in the matches of its run.
func generationName(generation int) string { return fmt.Sprintf("gen-%05d", generation) }

// readJSON decodes a file into a value and reports whether it succeeded.
func readJSON(path string, into any) bool {
	content, err := durable.ReadFile(path, durable.Document)
	return err == nil && json.Unmarshal(content, into) == nil
}
