package arena

import "sync/atomic"

// Meter says how the games of this process that are not over get on. It may be read while they are played.
type Meter struct{ games, turns atomic.Int64 }

// Playing returns the number of games under way, and of the turns played in them.
func (m *Meter) Playing() (games, turns int) {
	return int(m.games.Load()), int(m.turns.Load())
}

func (m *Meter) add(games, turns int) {
	if m != nil {
		m.games.Add(int64(games))
		m.turns.Add(int64(turns))
	}
}
