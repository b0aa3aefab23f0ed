package arena

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Rules are what all games of a match or of a tournament have in common.
type Rules struct {
	Seed      uint64
	TurnLimit int      // turns of both players together; the official score then decides
	Openings  Openings // nil: the players choose their own
}

// RulesRecord is the rules as a tournament's log and its results keep them.
type RulesRecord struct {
	Seed      uint64 `json:"seed"`
	TurnLimit int    `json:"turn_limit"`
	Openings  string `json:"openings"` // "own": the players choose their own
}

// Record returns the rules by name.
func (r *Rules) Record() RulesRecord {
	l := RulesRecord{r.Seed, r.TurnLimit, "own"}
	if r.Openings != nil {
		l.Openings = r.Openings.Name()
	}
	return l
}

// fixture returns a game by the rules, with the seed of its pair.
func (r *Rules) fixture(a, b *Entrant, number int) Fixture {
	f := Fixture{A: a, B: b, Number: number, Seed: r.pairSeed(a.Name(), b.Name(), number/2), TurnLimit: r.TurnLimit}
	if r.Openings != nil {
		f.Opening = r.Openings.Opening(number/2, r.Seed)
	}
	return f
}

// pairSeed returns the seed of a pair of games. It depends on the seed of the match or tournament, the players' names
// in any order and the pair's number, and not on who else takes part.
func (r *Rules) pairSeed(a, b string, pair int) uint64 {
	h := sha256.Sum256(fmt.Appendf(nil, "%d\n%d\n%s\n%s", r.Seed, pair, min(a, b), max(a, b)))
	return binary.LittleEndian.Uint64(h[:])
}

// same refuses rules that differ from those of the log, by name.
func (r *Rules) same(before RulesRecord, path string) error {
	now := r.Record()
	for _, c := range []struct {
		name        string
		before, now any
	}{
		{"seed", before.Seed, now.Seed},
		{"turn limit", before.TurnLimit, now.TurnLimit},
		{"openings", before.Openings, now.Openings},
	} {
		if c.before != c.now {
			return logError("the tournament %s was begun with the %s %v, and now it is %v: continue with the same, or begin another tournament", path, c.name, c.before, c.now)
		}
	}
	return nil
}
