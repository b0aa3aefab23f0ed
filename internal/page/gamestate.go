package page

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/arena/alphabeta"
	"warren/internal/session"
)

// state is the state of a game, as sent to the page. Its position has what can be played if
// it is the visitor's turn.
type state struct {
	position
	replied
	ID       string      `json:"id"`
	Side     string      `json:"side"` // the visitor's side
	Opponent string      `json:"opponent"`
	Level    string      `json:"level,omitempty"`   // of the opponent, if it has one
	Present  int         `json:"present,omitempty"` // the level at which an opponent that adapts played last
	Advice   bool        `json:"advice"`            // whether hints are available
	Setups   []string    `json:"setups,omitempty"`  // boards with good setups
	Open     []string    `json:"open"`              // the steps of the current turn
	Moves    string      `json:"moves"`             // the game so far
	Pieces   string      `json:"pieces"`            // with which the sides play, as letters
	Next     string      `json:"next,omitempty"`    // the level to play after a win
	Clock    *clockState `json:"clock,omitempty"`
}

func (t *openGame) state() *state {
	s := t.session
	g := s.Game()
	st := &state{
		position: standing(g, s.Result()), ID: t.id, Side: s.Side().String(), Opponent: s.Opponent(), Level: t.level, Advice: s.HasAdviser(),
		Open: []string{}, Moves: s.MoveList(), Pieces: pieces(s.Handicap()),
	}
	if t.clock != nil {
		st.Clock = t.clock.state(g, s.Result().Over())
	}
	if level, ok := s.OpponentLevel(); ok {
		st.Present = level.Number
	}
	if r := s.Result(); r.Over() {
		if level, err := arena.ParseLevel(t.level); err == nil && r.Winner == s.Side() && !level.Adapts && level.Number < len(arena.Levels()) {
			st.Next = strconv.Itoa(level.Number + 1)
		}
		return st
	}
	if open := s.OpenTurn(); len(open) > 0 && !g.InSetup() {
		at := game.FromBoard(*g.Start(), g.Side())
		for _, a := range open {
			st.Open = append(st.Open, game.FormatTurn(at, []game.Action{a}))
			at.Play(a)
		}
	}
	switch {
	case g.Side() != s.Side():
	case g.InSetup():
		st.Setups = setups(g)
	default:
		st.playable(g)
	}
	return st
}

// pieces returns the letters of the pieces that both sides have with a handicap.
func pieces(without session.Handicap) string {
	var letters []byte
	for color := game.Gold; color <= game.Silver; color++ {
		for k := game.Rabbit; k <= game.Elephant; k++ {
			n := game.SetupCount(k)
			for _, gone := range without[color] {
				if gone == k {
					n--
				}
			}
			letters = append(letters, bytes.Repeat([]byte{game.PieceLetter(color, k)}, max(0, n))...)
		}
	}
	return string(letters)
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
