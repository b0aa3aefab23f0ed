package arena

import (
	"cmp"
	"maps"
	"slices"

	"warren/internal/arena/rating"
)

// Standings are the ratings and results of a tournament.
type Standings struct {
	Rules    *RulesRecord `json:"rules,omitempty"`  // of a tournament
	Anchor   string       `json:"anchor,omitempty"` // the player whose rating is 0 and whom the margins are relative to; empty: the mean of all
	Widest   float64      `json:"widest_margin"`
	Players  []Standing   `json:"players"`  // strongest first
	Pairings []Pairing    `json:"pairings"` // those with games
	// Superiority[i][j] is the likelihood that Players[i] is stronger than
	// Players[j]. [Rate] leaves it out, because it may have thousands of players.
	Superiority [][]float64 `json:"likelihood_of_superiority"`
	Test        *TestRecord `json:"test,omitempty"` // about the first entrant
	// Apart are the players in groups, the strongest first, if a tournament with Until
	// has a wider interval that games cannot narrow: between any two groups one side
	// wins nearly every game.
	Apart [][]string `json:"apart,omitempty"`
}

// Standing is the rating and the results of one player.
type Standing struct {
	Name   string  `json:"name"`
	Elo    float64 `json:"elo"`
	Margin float64 `json:"margin"` // half the width of the 95% interval of Elo
	Games  int     `json:"games"`
	Wins   int     `json:"wins"`
	// Adjudicated counts the games that the official score decided, and
	// AdjudicatedWins those of them that the player won.
	Adjudicated     int `json:"adjudicated"`
	AdjudicatedWins int `json:"adjudicated_wins"`

	Forfeits map[string]int `json:"forfeits,omitempty"` // games the player forfeited, by cause
	Turns    int            `json:"turns"`              // of all its games together
	// The provenance of a network: its run, and what that had done by then. What
	// is unknown is zero.
	Run        string  `json:"run,omitempty"`
	Network    string  `json:"network,omitempty"` // content hash
	Generation int     `json:"generation,omitempty"`
	RunSteps   int64   `json:"run_steps,omitempty"`   // minibatches trained
	RunSamples int64   `json:"run_samples,omitempty"` // in them
	RunGames   int     `json:"run_games,omitempty"`   // saved when the generation began to learn
	RunSeconds float64 `json:"run_seconds,omitempty"`
}

// Pairing is the results of two players against each other.
type Pairing struct {
	Player   string  `json:"player"`
	Opponent string  `json:"opponent"`
	Tally    Tally   `json:"score"` // the player's
	Seconds  float64 `json:"seconds"`
}

// Rate rates all players of the pairings on one scale. The same two players may
// have several pairings. The rating of the anchor is 0; if the anchor is empty,
// the mean of all ratings is.
func Rate(pairings []Pairing, anchor string) (*Standings, error) {
	var players []string
	if anchor != "" {
		players = []string{anchor}
	}
	for _, p := range pairings {
		for _, name := range []string{p.Player, p.Opponent} {
			if !slices.Contains(players, name) {
				players = append(players, name)
			}
		}
	}
	s, _, err := rate(players, pairings, anchor)
	return s, err
}

// rate is like Rate, but some of the players may not have played yet. The
// numbers in the ratings are those of players.
func rate(players []string, pairings []Pairing, anchor string) (*Standings, *rating.Ratings, error) {
	numbers := make(map[string]int, len(players))
	all := make([]Standing, len(players))
	for i, name := range players {
		numbers[name], all[i].Name = i, name
	}
	results := rating.NewResults(len(players))
	for _, p := range pairings {
		i, j := numbers[p.Player], numbers[p.Opponent]
		results.Add(i, j, float64(p.Tally.Wins))
		results.Add(j, i, float64(p.Tally.Losses))
		all[i].count(&p.Tally, p.Tally.Wins, p.Tally.AdjudicatedWins)
		all[j].count(&p.Tally, p.Tally.Losses, p.Tally.AdjudicatedLosses)
	}
	zero := rating.Mean
	if anchor != "" {
		zero = numbers[anchor]
	}
	ratings, err := rating.Fit(results, zero)
	if err != nil {
		return nil, nil, err
	}
	s := &Standings{Anchor: anchor}
	order := make([]int, len(players))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ratings.Elo[j], ratings.Elo[i]) })
	for _, i := range order {
		all[i].Elo, all[i].Margin = ratings.Elo[i], ratings.Margin(i)
		s.Widest = max(s.Widest, all[i].Margin)
		s.Players = append(s.Players, all[i])
	}
	for _, p := range pairings {
		if p.Tally.Games() > 0 {
			s.Pairings = append(s.Pairings, p)
		}
	}
	return s, ratings, nil
}

// compare sets the likelihoods of superiority.
func (s *Standings) compare(players []string, ratings *rating.Ratings) {
	for _, a := range s.Players {
		var row []float64
		for _, b := range s.Players {
			row = append(row, ratings.Superiority(slices.Index(players, a.Name), slices.Index(players, b.Name)))
		}
		s.Superiority = append(s.Superiority, row)
	}
}

// count adds the games of a pairing.
func (s *Standing) count(t *Tally, wins, adjudicated int) {
	s.Games += t.Games()
	s.Wins += wins
	s.Adjudicated += t.Adjudicated()
	s.AdjudicatedWins += adjudicated
	s.Turns += t.Turns
}

// Player returns the standing of a player, nil if there is none of that name.
func (s *Standings) Player(name string) *Standing {
	i := slices.IndexFunc(s.Players, func(p Standing) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Players[i]
}

// Between returns the games of two players, as the first of them sees them. It
// leaves out the decision of a test.
func (s *Standings) Between(player, opponent string) (t Tally) {
	for _, p := range s.Pairings {
		switch {
		case p.Player == player && p.Opponent == opponent:
			t.merge(&p.Tally)
		case p.Player == opponent && p.Opponent == player:
			other := p.Tally.reversed()
			t.merge(&other)
		}
	}
	return t
}

// Standings returns the ratings after the games so far.
func (t *Tournament) Standings() (*Standings, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	players := make([]string, len(t.entrants))
	for i, e := range t.entrants {
		players[i] = e.Name()
	}
	var pairings []Pairing
	for _, d := range t.duels {
		pairings = append(pairings, Pairing{players[d.a], players[d.b], d.tally, d.seconds})
	}
	s, ratings, err := rate(players, pairings, t.config.Anchor)
	if err != nil {
		return nil, err
	}
	s.compare(players, ratings)
	if until := t.config.Until; until > 0 && s.Widest > until {
		if apart := t.apart(ratings); len(apart) > 1 {
			s.Apart = apart
		}
	}
	rules := t.config.Rules.Record()
	s.Rules = &rules
	if test := t.config.Test; test != nil {
		s.Test = &TestRecord{test.Elo0, test.Elo1, test.Alpha, test.Beta, t.trial.decision, t.trial.pairs}
	}
	for i, e := range t.entrants {
		p := s.Player(e.Name())
		p.Forfeits = maps.Clone(t.forfeits[i])
		if n := e.Network; n != nil {
			o := n.Origin
			p.Run, p.Network, p.Generation = o.Run, n.Hash, o.Generation
			p.RunSteps, p.RunSamples, p.RunGames, p.RunSeconds = o.Steps, o.Samples, o.Games, o.Seconds
		}
	}
	return s, nil
}
