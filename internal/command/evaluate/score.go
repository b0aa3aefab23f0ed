package evaluate

import (
	"warren/internal/arena"
	"warren/internal/arena/rating"
)

// score is the result of a match as JSON, as the first player sees it.
type score struct {
	Player   string            `json:"player"`
	Opponent string            `json:"opponent"`
	Rules    arena.RulesRecord `json:"rules"`
	Games    int               `json:"games"`
	arena.Tally

	Rate float64 `json:"rate"` // share of the games won
	Low  float64 `json:"low"`  // 95% interval of the chance to win
	High float64 `json:"high"`
	// Elo is the difference in rating that corresponds to the rate, with its interval.
	// They are null where they would be infinite: after no win, or no loss.
	Elo     *float64 `json:"elo"`
	EloLow  *float64 `json:"elo_low"`
	EloHigh *float64 `json:"elo_high"`

	Causes map[string]int    `json:"forfeit_causes,omitempty"` // games that either player forfeited, by cause
	Test   *arena.TestRecord `json:"test,omitempty"`
}

// newScore returns the result of a match that was played by the rules.
func newScore(player, opponent string, rules arena.Rules, test *rating.SPRT, tally arena.Tally, causes map[string]int) *score {
	s := &score{Player: player, Opponent: opponent, Rules: rules.Record(), Games: tally.Games(), Rate: tally.Rate(), Causes: causes}
	s.Low, s.High = tally.Interval()
	if tally.Wins > 0 {
		s.EloLow = elo(s.Low)
	}
	if tally.Losses > 0 {
		s.EloHigh = elo(s.High)
	}
	if tally.Wins > 0 && tally.Losses > 0 {
		s.Elo = elo(s.Rate)
	}
	if test != nil {
		s.Test = arena.NewTestRecord(*test, tally.Test, tally.Pairs)
	}
	tally.Test, tally.Pairs = rating.Undecided, [3]int{}
	s.Tally = tally
	return s
}

// elo returns the difference in rating that corresponds to a chance to win.
func elo(chance float64) *float64 { return new(rating.Difference(chance)) }
