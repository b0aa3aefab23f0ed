package page

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/arena/alphabeta"
)

// state is the state of a game, as sent to the page. The page does not know the
// rules: Legal lists every legal action, and Slides the paths of a piece over
// several steps.
type state struct {
	ID       string             `json:"id"`
	Side     string             `json:"side"` // the visitor's side
	Opponent string             `json:"opponent"`
	Advice   bool               `json:"advice"` // whether hints are available
	Board    string             `json:"board"`
	Start    string             `json:"start"` // the board at the start of the turn
	Label    string             `json:"label"`
	ToMove   string             `json:"toMove"`
	Left     int                `json:"left"`
	Setup    bool               `json:"setup"`
	Setups   []string           `json:"setups,omitempty"` // boards with good setups
	Legal    []int              `json:"legal"`
	Slides   map[string][]int   `json:"slides"` // by "from-to", squares as numbers
	Pushes   map[string][][]int `json:"pushes"` // by "from-to": the ways to push the piece on "to"
	Pushed   int                `json:"pushed"` // the square that an unfinished push must fill; -1: none
	Open     []string           `json:"open"`   // the steps of the current turn
	Moves    string             `json:"moves"`  // the game so far
	Winner   string             `json:"winner"`
	Reason   string             `json:"reason"`
	Next     string             `json:"next,omitempty"`   // the level to play after a win
	Played   []frame            `json:"played,omitempty"` // the opponent's steps
	Forfeit  string             `json:"forfeit,omitempty"`
	Clock    *clockState        `json:"clock,omitempty"`
}

func (t *openGame) state() *state {
	s := t.session
	g := s.Game()
	st := &state{
		ID: t.id, Side: s.Side().String(), Opponent: s.Opponent(), Advice: s.HasAdviser(),
		Board: g.Board().String(), Start: g.Start().String(), Label: g.TurnLabel(), ToMove: g.Side().String(), Left: g.StepsLeft(),
		Setup: g.InSetup(), Legal: []int{}, Slides: map[string][]int{}, Pushes: map[string][][]int{}, Pushed: -1, Open: []string{}, Moves: s.MoveList(),
		Reason: s.Result().Reason.String(),
	}
	if t.clock != nil {
		st.Clock = t.clock.state(g)
	}
	if r := s.Result(); r.Over() {
		st.Winner = r.Winner.String()
		if level, err := arena.ParseLevel(t.level); err == nil && r.Winner == s.Side() && level.Number < len(arena.Levels()) {
			st.Next = strconv.Itoa(level.Number + 1)
		}
		return st
	}
	if hole, _, ok := g.Push(); ok {
		st.Pushed = int(hole)
	}
	if open := s.OpenTurn(); len(open) > 0 && !g.InSetup() {
		at := game.FromBoard(*g.Start(), g.Side())
		for _, a := range open {
			st.Open = append(st.Open, game.FormatTurn(at, []game.Action{a}))
			at.Play(a)
		}
	}
	if g.Side() != s.Side() {
		return st
	}
	if g.InSetup() {
		st.Setups = setups(g)
		return st
	}
	for _, a := range g.Legal(nil) {
		st.Legal = append(st.Legal, int(a))
	}
	st.Slides, st.Pushes = slides(g), pushes(g)
	return st
}

// setups returns the boards after each of several good setups.
func setups(g *game.Game) []string {
	var boards []string
	for seed := range uint64(24) {
		at := g.Clone()
		for _, a := range alphabeta.Setup(g, rand.New(rand.NewPCG(seed, 0))) {
			at.Play(a)
		}
		if b := at.Board().String(); !slices.Contains(boards, b) {
			boards = append(boards, b)
		}
	}
	return boards
}
