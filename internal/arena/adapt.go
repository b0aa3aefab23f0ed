package arena

import (
	"context"
	"math/rand/v2"

	"warren/game"
)

// A network that adapts begins a game at level adaptFirst, and plays up to level adaptLast: those
// above depend on the machine.
const adaptFirst, adaptLast = 5, 10

// Adapting returns the level whose network changes its level from turn to turn, so that the game stays open.
func Adapting() Level {
	l := Levels()[adaptFirst-1]
	l.Number, l.Title, l.Adapts = 0, "adapts to you", true
	return l
}

// Adapted returns the level of the next turn of a network that adapts. l is the level of the last one, or
// that of [Adapting], and chance is the network's chance to win, 0 to 1.
func (l Level) Adapted(chance float32) Level {
	n := l.Number
	if l.Adapts {
		n = adaptFirst
	}
	switch {
	case chance > 0.9:
		n -= 2
	case chance > 0.75:
		n--
	case chance < 0.3:
		n += 2
	case chance < 0.5:
		n++
	}
	return Levels()[min(max(1, n), adaptLast)-1]
}

// adapting is the seat of a network that adapts.
type adapting struct {
	player Searcher // at the present level
	rng    *rand.Rand
	level  Level
	turn   uint64 // hash of the position for which it was chosen
	seat   *searcherSeat
}

func (p *Searcher) sitAdapting(rng *rand.Rand) (*adapting, error) {
	s := &adapting{player: *p, rng: rng}
	return s, s.move(Adapting())
}

func (s *adapting) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	if hash := g.Hash(); !g.InSetup() && g.StepsLeft() == 4 && hash != s.turn { // a turn may be asked for again
		chance, err := s.seat.engine.Evaluate(g)
		if err != nil {
			return 0, err
		}
		if err := s.move(s.level.Adapted(chance)); err != nil {
			return 0, err
		}
		s.turn = hash
	}
	return s.seat.Act(ctx, g)
}

// move changes the level.
func (s *adapting) move(to Level) error {
	if to == s.level {
		return nil
	}
	if err := s.Close(); err != nil {
		return err
	}
	s.player.SearchSettings = to.Over(s.player.SearchSettings)
	seat, err := s.player.sitByVisits(s.rng)
	if err != nil {
		return err
	}
	s.level, s.seat = to, seat
	return nil
}

// Level returns the level of the last turn.
func (s *adapting) Level() Level { return s.level }

// Close releases the stream.
func (s *adapting) Close() error {
	seat := s.seat
	if s.seat = nil; seat == nil {
		return nil
	}
	return seat.Close()
}
