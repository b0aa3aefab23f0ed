package arena

import (
	"fmt"
	"io"
	"strings"

	"warren/game"
	"warren/internal/visible"
)

// GameRecord is a finished game as a tournament's log keeps it.
type GameRecord struct {
	Gold    string  `json:"gold"` // names of the players
	Silver  string  `json:"silver"`
	Pair    int     `json:"pair"`   // number of the pair, from 0
	First   bool    `json:"first"`  // the first game of the pair, in which the name that sorts first has Gold
	Winner  string  `json:"winner"` // "gold" or "silver"
	Reason  string  `json:"reason"` // a game.Reason, or "forfeit"
	Forfeit string  `json:"forfeit,omitempty"`
	Turns   int     `json:"turns"`
	Seconds float64 `json:"seconds"`
	Moves   string  `json:"moves"` // a move list on one line, with \n written out between turns
}

// forfeit is the GameRecord.Reason of a forfeited game.
const forfeit = "forfeit"

// mostPairs is more pairs of games than any two players play. A larger number in a log is damage, and
// the missing games before it would fill the memory. A game has no more than mostTurns.
const (
	mostPairs = 1e6
	mostTurns = 1e6
)

// game returns the game that was recorded, without its actions.
func (r *GameRecord) game() (*Played, error) {
	g := &Played{Number: 2 * r.Pair, Gold: r.First, Turns: r.Turns, Forfeit: r.Forfeit}
	if !r.First {
		g.Number++
	}
	switch r.Winner {
	case game.Gold.String():
		g.Result.Winner = game.Gold
	case game.Silver.String():
		g.Result.Winner = game.Silver
	default:
		return nil, fmt.Errorf("a game of %s against %s has the winner %q", r.Gold, r.Silver, r.Winner)
	}
	for reason := range game.Reason(game.NumReasons) {
		if r.Reason == reason.String() {
			g.Result.Reason = reason
		}
	}
	if r.Pair < 0 || r.Pair > mostPairs || g.Result.Over() == (r.Reason == forfeit) {
		return nil, fmt.Errorf("a game of %s against %s, pair %d, ended by %q", r.Gold, r.Silver, r.Pair, r.Reason)
	}
	if r.Turns < 0 || r.Turns > mostTurns || r.Seconds < 0 {
		return nil, fmt.Errorf("a game of %s against %s, pair %d, has %d turns in %g seconds", r.Gold, r.Silver, r.Pair, r.Turns, r.Seconds)
	}
	return g, nil
}

// moveList returns the move list of a game on one line, as its record has it.
func moveList(actions []game.Action) string {
	return strings.ReplaceAll(strings.TrimSuffix(game.FormatMoveList(wholeTurns(actions)), "\n"), "\n", `\n`)
}

// wholeTurns drops an unfinished turn at the end, which a forfeit can leave.
func wholeTurns(actions []game.Action) []game.Action {
	g, whole := game.New(), 0
	side, setup := g.Side(), true
	for i, a := range actions {
		g.Play(a)
		if g.Side() != side || g.InSetup() != setup || g.Result().Over() {
			whole = i + 1
		}
		side, setup = g.Side(), g.InSetup()
	}
	return actions[:whole]
}

// WriteArchive writes the games of the tournament in a directory as an archive for
// [game.ReadGames]: tab-separated, with the players' names.
func WriteArchive(w io.Writer, dir string) error {
	if _, err := fmt.Fprintln(w, "id\tgold\tsilver\tresult\ttermination\tmovelist"); err != nil {
		return err
	}
	id := 0
	for r, err := range Games(dir) {
		if err != nil {
			return err
		}
		id++
		_, err := fmt.Fprintf(w, "%d\t%s\t%s\t%c\t%c\t%s\n", id, visible.Text(r.Gold), visible.Text(r.Silver), r.Winner[0], r.termination(), visible.Text(r.Moves))
		if err != nil {
			return err
		}
	}
	return nil
}

// termination returns the archive's letter for the way the game ended.
func (r *GameRecord) termination() byte {
	switch r.Reason {
	case game.Immobilization.String():
		return 'm'
	case game.Repetition.String():
		return 'p'
	case game.TurnLimit.String():
		return 's'
	}
	return r.Reason[0]
}
