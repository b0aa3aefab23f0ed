package match

import (
	"fmt"
	"math"

	"warren/game"
	"warren/rating"
)

// Tally counts the games of two players, as the first player sees them.
type Tally struct {
	Wins       int `json:"wins"`
	Losses     int `json:"losses"`
	GoldWins   int `json:"gold_wins"`   // the part of Wins played with Gold
	GoldLosses int `json:"gold_losses"` // the part of Losses played with Gold
	Turns      int `json:"turns"`       // of all games together

	Reasons  [game.NumReasons]int `json:"reasons"`  // games by the way they ended, without forfeits
	Forfeits int                  `json:"forfeits"` // games that either player forfeited

	// Test is the decision of Config.Test, and Pairs what it counted: pairs of
	// games by the number of games won.
	Test  rating.Decision `json:"test,omitempty"`
	Pairs [3]int          `json:"pairs,omitzero"`
}

func (t *Tally) add(g *Played) {
	switch {
	case g.Won() && g.Gold:
		t.GoldWins++
		fallthrough
	case g.Won():
		t.Wins++
	case g.Gold:
		t.GoldLosses++
		fallthrough
	default:
		t.Losses++
	}
	t.Turns += g.Turns
	if g.Forfeit != "" {
		t.Forfeits++
	} else {
		t.Reasons[g.Result.Reason]++
	}
}

// Games returns the number of games played.
func (t *Tally) Games() int { return t.Wins + t.Losses }

// Rate returns the share of the games won, from 0 to 1; 0.5 before the first game.
func (t *Tally) Rate() float64 {
	if t.Games() == 0 {
		return 0.5
	}
	return float64(t.Wins) / float64(t.Games())
}

// Interval returns the 95% confidence interval of the chance to win a game
// (Wilson 1927, score interval).
func (t *Tally) Interval() (low, high float64) {
	n := float64(t.Games())
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p := t.Rate()
	middle := p + z*z/(2*n)
	spread := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return (middle - spread) / (1 + z*z/n), (middle + spread) / (1 + z*z/n)
}

// String returns a line such as
//
//	97 of 100 won (97.0%, 95% interval 91.5% to 99.0%), +604 Elo (+414 to +795); as Gold 49 of 50, as Silver 48 of 50; 31.4 turns a game
func (t Tally) String() string {
	if t.Games() == 0 {
		return "no game finished"
	}
	low, high := t.Interval()
	elo := fmt.Sprintf("%+.0f Elo (%+.0f to %+.0f)", rating.Difference(t.Rate()), rating.Difference(low), rating.Difference(high))
	switch t.Rate() {
	case 0:
		elo = fmt.Sprintf("at most %+.0f Elo", rating.Difference(high))
	case 1:
		elo = fmt.Sprintf("at least %+.0f Elo", rating.Difference(low))
	}
	gold := t.GoldWins + t.GoldLosses
	return fmt.Sprintf("%d of %d won (%.1f%%, 95%% interval %.1f%% to %.1f%%), %s; as Gold %d of %d, as Silver %d of %d; %.1f turns a game",
		t.Wins, t.Games(), 100*t.Rate(), 100*low, 100*high, elo,
		t.GoldWins, gold, t.Wins-t.GoldWins, t.Games()-gold, float64(t.Turns)/float64(t.Games()))
}
