package match

import (
	"fmt"
	"math"

	"warren/game"
	"warren/rating"
)

// Score is how a match stands, seen by its first player.
type Score struct {
	Wins       int `json:"wins"`
	Losses     int `json:"losses"`
	GoldWins   int `json:"gold_wins"`   // of Wins, those with Gold
	GoldLosses int `json:"gold_losses"` // of Losses, those with Gold
	Turns      int `json:"turns"`       // of all games together

	Reasons  [game.NumReasons]int `json:"reasons"`  // games by how they ended, forfeits not among them
	Forfeits int                  `json:"forfeits"` // games that a player lost by its own fault

	// Of Config.Test: its decision, and what it has counted.
	Test  rating.Decision `json:"test,omitempty"`
	Pairs [3]int          `json:"pairs,omitzero"` // pairs of games by how many of the two were won
}

func (s *Score) add(g *Game) {
	switch {
	case g.Won() && g.Gold:
		s.GoldWins++
		fallthrough
	case g.Won():
		s.Wins++
	case g.Gold:
		s.GoldLosses++
		fallthrough
	default:
		s.Losses++
	}
	s.Turns += g.Turns
	if g.Forfeit != "" {
		s.Forfeits++
	} else {
		s.Reasons[g.Result.Reason]++
	}
}

// Games returns the number of games played.
func (s *Score) Games() int { return s.Wins + s.Losses }

// Rate returns the share of the games won, 0 to 1; 0.5 before the first game.
func (s *Score) Rate() float64 {
	if s.Games() == 0 {
		return 0.5
	}
	return float64(s.Wins) / float64(s.Games())
}

// Interval returns the 95% confidence interval of the chance to win a game
// (Wilson 1927, score interval).
func (s *Score) Interval() (low, high float64) {
	n := float64(s.Games())
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p := s.Rate()
	middle := p + z*z/(2*n)
	spread := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return (middle - spread) / (1 + z*z/n), (middle + spread) / (1 + z*z/n)
}

// String returns a line such as
//
//	97 of 100 won (97.0%, 95% interval 91.5% to 99.0%), +604 Elo (+414 to +795); as Gold 49 of 50, as Silver 48 of 50; 31.4 turns a game
func (s Score) String() string {
	if s.Games() == 0 {
		return "no game finished"
	}
	low, high := s.Interval()
	elo := fmt.Sprintf("%+.0f Elo (%+.0f to %+.0f)", rating.Difference(s.Rate()), rating.Difference(low), rating.Difference(high))
	switch s.Rate() {
	case 0:
		elo = fmt.Sprintf("at most %+.0f Elo", rating.Difference(high))
	case 1:
		elo = fmt.Sprintf("at least %+.0f Elo", rating.Difference(low))
	}
	gold := s.GoldWins + s.GoldLosses
	return fmt.Sprintf("%d of %d won (%.1f%%, 95%% interval %.1f%% to %.1f%%), %s; as Gold %d of %d, as Silver %d of %d; %.1f turns a game",
		s.Wins, s.Games(), 100*s.Rate(), 100*low, 100*high, elo,
		s.GoldWins, gold, s.Wins-s.GoldWins, s.Games()-gold, float64(s.Turns)/float64(s.Games()))
}
