package export

import (
	"path/filepath"

	"warren/internal/arena"
	"warren/internal/console"
	"warren/internal/durable"
)

// played is the result of a match of the network.
type played struct {
	Opponent string  `json:"opponent"`
	Visits   int     `json:"visits"` // visits per step of both sides
	Games    int     `json:"games"`
	Rate     float64 `json:"rate"` // share of games won
	Low      float64 `json:"low"`  // 95% interval of the chance to win
	High     float64 `json:"high"`
}

// rating is the rating of the network on the ladder of its run.
type rating struct {
	Elo    float64 `json:"elo"`
	Margin float64 `json:"margin"` // half the width of the 95% interval
	Zero   string  `json:"zero"`   // the player whose rating is 0
}

// record looks for the matches and the rating of the network with this hash in the run
// that contains the checkpoint at path. If there are none, both results are nil.
func record(path, hash string) (matches []played, r *rating) {
	found, err := durable.List(filepath.Join(filepath.Dir(filepath.Dir(console.Absolute(path))), "matches"), "*.json")
	if err != nil {
		return nil, nil
	}
	for _, name := range found {
		var m struct {
			played
			rating
			Network string      `json:"network"`
			Score   arena.Tally `json:"score"`
		}
		switch {
		case durable.ReadJSON(name, &m) != nil || m.Network != hash:
		case m.Zero != "":
			r = &m.rating
		case m.Opponent != "" && m.Score.Validate() == nil:
			m.Games = m.Score.Games()
			matches = append(matches, m.played)
		}
	}
	return matches, r
}
