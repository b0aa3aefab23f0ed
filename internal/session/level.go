package session

import "warren/internal/arena"

// OpponentLevel returns the level at which an opponent that adapts played last. It reports false of
// opponents that do not.
func (s *Session) OpponentLevel() (arena.Level, bool) {
	seat, ok := s.seat.(interface{ Level() arena.Level })
	if !ok {
		return arena.Level{}, false
	}
	return seat.Level(), true
}
