package evaluate

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/arena/rating"
)

// score is the result of a match as JSON, as the first player sees it.
type score struct {
	Player   string             `json:"player"`
	Opponent string             `json:"opponent"`
	Rules    *arena.RulesRecord `json:"rules"`
	Games    int                `json:"games"`
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

// newScore returns the result of a match.
func newScore(standings *arena.Standings, player, opponent string) *score {
	tally := standings.Between(player, opponent)
	s := &score{
		Player: player, Opponent: opponent, Rules: standings.Rules, Games: tally.Games(), Tally: tally,
		Rate: tally.Rate(), Causes: map[string]int{}, Test: standings.Test,
	}
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
	for _, p := range standings.Players {
		maps.Copy(s.Causes, p.Forfeits)
	}
	return s
}

// elo returns the difference in rating that corresponds to a chance to win.
func elo(chance float64) *float64 { return new(rating.Difference(chance)) }

// write writes the score for people.
func (s *score) write(w io.Writer) {
	fmt.Fprintf(w, "%s against %s: %v\n", s.Player, s.Opponent, s.Tally)
	for reason, n := range s.Reasons {
		if n > 0 {
			fmt.Fprintf(w, "  %d by %v\n", n, game.Reason(reason))
		}
	}
	for _, cause := range slices.Sorted(maps.Keys(s.Causes)) {
		fmt.Fprintf(w, "  %d by forfeit: %s\n", s.Causes[cause], cause)
	}
	if s.Test != nil {
		fmt.Fprint(w, s.Test)
	}
}
