package arena

import (
	"fmt"
	"math"

	"warren/internal/arena/rating"
)

// Tally counts the games of two players, as the first player sees them.
type Tally struct {
	Wins       int `json:"wins"`
	Losses     int `json:"losses"`
	GoldWins   int `json:"gold_wins"`   // the part of Wins played with Gold
	GoldLosses int `json:"gold_losses"` // the part of Losses played with Gold
	Turns      int `json:"turns"`       // of all games together

	Reasons  Reasons `json:"reasons"`  // games by the way they ended, without forfeits
	Forfeits int     `json:"forfeits"` // games that either player forfeited

	// Games that the official score decided, at the turn limit or because an
	// engine's time control stopped them. They are part of Wins and Losses.
	AdjudicatedWins   int `json:"adjudicated_wins"`
	AdjudicatedLosses int `json:"adjudicated_losses"`

	// Repeats counts the games that are copies of others: the same moves from beginning
	// to end, whoever had Gold. They are part of Wins and Losses, and tell nothing new.
	Repeats int `json:"repeats,omitempty"`

	// Test is the decision of a gatekeeper's test, and Pairs what it counted: pairs of
	// games by the number of games won.
	Test  rating.Decision `json:"test,omitempty"`
	Pairs [3]int          `json:"pairs,omitzero"`
}

// add counts a game. It is a copy if one with the same moves has been counted.
func (t *Tally) add(g *Played, again bool) {
	if again {
		t.Repeats++
	}
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
	switch {
	case g.Adjudicated() && g.Won():
		t.AdjudicatedWins++
	case g.Adjudicated():
		t.AdjudicatedLosses++
	}
	t.Turns += g.Turns
	if g.Forfeit != "" {
		t.Forfeits++
	} else {
		t.Reasons[g.Result.Reason]++
	}
}

// merge adds the games of another tally of the same two players.
func (t *Tally) merge(o *Tally) {
	t.Wins += o.Wins
	t.Losses += o.Losses
	t.GoldWins += o.GoldWins
	t.GoldLosses += o.GoldLosses
	t.Turns += o.Turns
	for i, n := range o.Reasons {
		t.Reasons[i] += n
	}
	t.Forfeits += o.Forfeits
	t.AdjudicatedWins += o.AdjudicatedWins
	t.AdjudicatedLosses += o.AdjudicatedLosses
	t.Repeats += o.Repeats
}

// reversed returns the games as the second player sees them. The test stays that of the first.
func (t *Tally) reversed() Tally {
	r := *t
	r.Wins, r.Losses = t.Losses, t.Wins
	// The second player has Silver where the first has Gold.
	r.GoldWins, r.GoldLosses = t.Losses-t.GoldLosses, t.Wins-t.GoldWins
	r.AdjudicatedWins, r.AdjudicatedLosses = t.AdjudicatedLosses, t.AdjudicatedWins
	return r
}

// mostGames is more games, or turns of them, than two players play. Sums of such counts
// do not overflow, with 32 bits too.
const mostGames = 100_000_000

// Validate returns an error if no games can have been counted so.
func (t *Tally) Validate() error {
	counts := append([]int{t.Wins, t.Losses, t.GoldWins, t.GoldLosses, t.Turns, t.Forfeits, t.AdjudicatedWins, t.AdjudicatedLosses, t.Repeats}, t.Reasons[:]...)
	for _, n := range append(counts, t.Pairs[:]...) {
		if n < 0 || n > mostGames {
			return fmt.Errorf("the score has a count of %d, and counts are from 0 to %d", n, mostGames)
		}
	}
	if max(t.GoldWins, t.AdjudicatedWins) > t.Wins || max(t.GoldLosses, t.AdjudicatedLosses) > t.Losses || max(t.Forfeits, t.Repeats) > t.Games() {
		return fmt.Errorf("the score has %d wins and %d losses, and more of one kind", t.Wins, t.Losses)
	}
	return nil
}

// Games returns the number of games played.
func (t *Tally) Games() int { return t.Wins + t.Losses }

// Adjudicated returns how many games the official score decided.
func (t *Tally) Adjudicated() int { return t.AdjudicatedWins + t.AdjudicatedLosses }

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
	// Rounding may lead a little outside.
	return max(0, (middle-spread)/(1+z*z/n)), min(1, (middle+spread)/(1+z*z/n))
}

// String returns a line such as
//
//	97 of 100 won (97.0%, 95% interval 91.5% to 99.0%), +604 Elo (+414 to +794); as Gold 49 of 50, as Silver 48 of 50; 31.4 turns a game; 7 of the games by adjudication, 5 of them won
//
// The part about adjudication is left out where there was none. Copies are told where there are some.
func (t Tally) String() string {
	if t.Games() == 0 {
		return "no game finished"
	}
	low, high := t.Interval()
	elo := fmt.Sprintf("%s Elo (%s to %s)", rating.Format(rating.Difference(t.Rate())), rating.Format(rating.Difference(low)), rating.Format(rating.Difference(high)))
	switch t.Rate() {
	case 0:
		elo = fmt.Sprintf("at most %s Elo", rating.Format(rating.Difference(high)))
	case 1:
		elo = fmt.Sprintf("at least %s Elo", rating.Format(rating.Difference(low)))
	}
	more := ""
	if n := t.Adjudicated(); n > 0 {
		more = fmt.Sprintf("; %d of the games by adjudication, %d of them won", n, t.AdjudicatedWins)
	}
	if t.Repeats > 0 {
		more += fmt.Sprintf("; copies of other games, which tell nothing new: %d", t.Repeats)
	}
	gold := t.GoldWins + t.GoldLosses
	return fmt.Sprintf("%d of %d won (%.1f%%, 95%% interval %.1f%% to %.1f%%), %s; as Gold %d of %d, as Silver %d of %d; %.1f turns a game%s",
		t.Wins, t.Games(), 100*t.Rate(), 100*low, 100*high, elo,
		t.GoldWins, gold, t.Wins-t.GoldWins, t.Games()-gold, float64(t.Turns)/float64(t.Games()), more)
}
