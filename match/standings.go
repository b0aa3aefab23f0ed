package match

import (
	"cmp"
	"slices"

	"warren/rating"
)

// Standings are the ratings and results of a tournament.
type Standings struct {
	Anchor   string     `json:"anchor,omitempty"` // player whose rating is 0 and whom the margins are relative to; empty: the mean of all
	Widest   float64    `json:"widest_margin"`
	Players  []Standing `json:"players"`  // strongest first
	Pairings []Pairing  `json:"pairings"` // that have played
	// Superiority[i][j] is the likelihood that Players[i] is stronger than
	// Players[j].
	Superiority [][]float64 `json:"likelihood_of_superiority"`
	Test        string      `json:"test,omitempty"` // what the sequential test says
}

// Standing is one player's.
type Standing struct {
	Name     string         `json:"name"`
	Elo      float64        `json:"elo"`
	Margin   float64        `json:"margin"` // half the width of the 95% interval of Elo
	Games    int            `json:"games"`
	Wins     int            `json:"wins"`
	Forfeits map[string]int `json:"forfeits,omitempty"` // games lost by the player's own fault, by what it was
	Turns    int            `json:"turns"`              // of all its games together
	// Of a network: where it comes from.
	Run        string `json:"run,omitempty"`
	Network    string `json:"network,omitempty"` // content hash
	Generation int    `json:"generation,omitempty"`
	RunGames   int    `json:"run_games,omitempty"` // games it was trained on
}

// Pairing is the results of two players against each other.
type Pairing struct {
	Player   string  `json:"player"`
	Opponent string  `json:"opponent"`
	Tally    Tally   `json:"score"` // the player's
	Seconds  float64 `json:"seconds"`
}

// Standings returns the ratings after the games so far.
func (t *Tournament) Standings() (*Standings, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ratings, err := rating.Fit(t.results(), t.anchor)
	if err != nil {
		return nil, err
	}
	s := &Standings{Anchor: t.config.Anchor, Widest: ratings.Widest()}
	if t.config.Test != nil {
		s.Test = t.trial.decision.String()
	}
	order := make([]int, len(t.entrants))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ratings.Elo[j], ratings.Elo[i]) })
	for _, i := range order {
		s.Players = append(s.Players, t.standing(i, ratings))
		row := make([]float64, len(order))
		for k, j := range order {
			row[k] = ratings.Superiority(i, j)
		}
		s.Superiority = append(s.Superiority, row)
	}
	for _, d := range t.duels {
		if d.tally.Games() > 0 {
			s.Pairings = append(s.Pairings, Pairing{t.entrants[d.a].Name(), t.entrants[d.b].Name(), d.tally, d.seconds})
		}
	}
	return s, nil
}

func (t *Tournament) standing(i int, ratings *rating.Ratings) Standing {
	e := t.entrants[i]
	s := Standing{Name: e.Name(), Elo: ratings.Elo[i], Margin: ratings.Margin(i)}
	if c := e.Checkpoint; c != nil {
		s.Run, s.Network, s.Generation, s.RunGames = c.Run, c.Hash, c.Generation, c.Games
	}
	for _, d := range t.duels {
		if d.a != i && d.b != i {
			continue
		}
		s.Games += d.tally.Games()
		s.Turns += d.tally.Turns
		if d.a == i {
			s.Wins += d.tally.Wins
		} else {
			s.Wins += d.tally.Losses
		}
		for cause, n := range d.forfeits[i] {
			if s.Forfeits == nil {
				s.Forfeits = map[string]int{}
			}
			s.Forfeits[cause] += n
		}
	}
	return s
}

// Between returns the first player's wins against the second, and their games.
func (s *Standings) Between(player, opponent string) (wins, games int) {
	for _, p := range s.Pairings {
		switch {
		case p.Player == player && p.Opponent == opponent:
			return p.Tally.Wins, p.Tally.Games()
		case p.Player == opponent && p.Opponent == player:
			return p.Tally.Losses, p.Tally.Games()
		}
	}
	return 0, 0
}
