package arena

import (
	"crypto/sha256"
	"strconv"
)

// trace is what a game and its copies have in common: two games of the same players with the same trace are the same,
// move for move.
type trace [sha256.Size]byte

// traceOf returns the trace of a game with the given move list.
func traceOf(g *Played, moves string) trace {
	if g.Forfeit != "" {
		moves = strconv.Itoa(g.Number) // a copy of none: its moves do not tell how it ended
	}
	return sha256.Sum256([]byte(moves))
}

// known holds the traces of games.
type known map[trace]bool

// add adds a game and reports whether it was known.
func (k known) add(t trace) (again bool) {
	again = k[t]
	k[t] = true
	return again
}
