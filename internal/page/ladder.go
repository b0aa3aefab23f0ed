package page

import (
	"cmp"
	"path/filepath"
	"slices"
	"sync"

	"warren/internal/durable"
	"warren/net"
)

// rated is a player with its rating, on the scale of the run's series match/elo
// unless Zero is set.
type rated struct {
	Name   string  `json:"name"`
	Elo    float64 `json:"elo"`
	Margin float64 `json:"margin"`         // half the 95% interval
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

// ladderRecord is a network's rating, as package train saves it.
type ladderRecord struct {
	Generation int     `json:"generation"`
	Zero       string  `json:"zero"`
	Elo        float64 `json:"elo"`
	Margin     float64 `json:"margin"`
	Baselines  []rated `json:"baselines"` // as rated then; earlier versions have none
}

// read reads the ratings of the run at path. The baselines have their latest rating, and a network has that of its
// measurement.
func (l *ladder) read(path string) (baselines []rated, networks map[int]rated, zero string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	files, _ := durable.List(filepath.Join(path, "matches"), "ladder-*.json")
	if len(files) == 0 {
		return []rated{}, nil, ""
	}
	// By generation: numbers above 99999 are longer, the others have zeros in front.
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if newest := files[len(files)-1]; newest != l.newest {
		l.newest, l.zero, l.baselines, l.networks = newest, "", []rated{}, map[int]rated{}
		for _, file := range files {
			var r ladderRecord
			if durable.ReadJSON(file, &r) != nil {
				continue
			}
			l.networks[r.Generation] = rated{Name: net.GenerationName(r.Generation), Elo: r.Elo, Margin: r.Margin}
			l.zero, l.baselines = r.Zero, append(l.baselines[:0], r.Baselines...)
		}
	}
	return l.baselines, l.networks, l.zero
}
