package game

import (
	"fmt"
	"strings"
)

// MoveList is a game read from its text.
type MoveList struct {
	// Game is the state after the last turn.
	Game *Game
	// Actions are the actions that lead from [New] to that state, including the
	// setups. They do not include turns that were taken back.
	Actions []Action
	// Result is Game.Result, or a Resignation if the text ends with one.
	Result Result
	// Missing holds the squares that the setups of a handicap game leave empty; see
	// [ParseHandicapList]. It is 0 in other games.
	Missing uint64
}

// ParseMoveList reads a whole game in the format of Arimaa game files:
//
//	1g Ra1 Rb1 ...
//	1s ra8 rb8 ...
//	2g Ed2n Ed3n Hb2n
//	2s takeback
//	2g Ed2n
//	2s resigns
//
// Each turn begins with its number and side, followed by the turn as [ParseTurn]
// reads it. The sides may be written w and b, as in files from before 2008. In
// place of a turn, "takeback" takes back the previous turn and "resigns" ends the
// game. A label without a turn, as on the last line of many files, is ignored.
// Turns are separated by newlines, by spaces, or by the two characters \n, as in
// the archives of games. Lines of tags, such as "Gold: alice" or [Event "x"], and a
// byte order mark at the beginning are ignored.
//
// An error names the first turn that is wrong and the word in it. The MoveList
// then holds the game up to that turn; it is never nil.
func ParseMoveList(text string) (*MoveList, error) { return parseMoveList(text, false) }

// ParseHandicapList is like [ParseMoveList], but a setup may leave out pieces, as
// that of a handicap game does. Actions then also has placements on the squares of
// Missing, and the pieces there are gone when the setups are over: see
// [Handicapped].
func ParseHandicapList(text string) (*MoveList, error) { return parseMoveList(text, true) }

func parseMoveList(text string, handicap bool) (*MoveList, error) {
	m := &MoveList{Game: New()}
	var (
		g      = m.Game
		marks  []Mark // the state before each turn that was not taken back
		begins []int  // the length of Actions in that state
		words  = words(text)
	)
	for len(words) > 0 {
		label := words[0]
		end := 1
		for end < len(words) && !isTurnLabel(words[end]) {
			end++
		}
		turn := words[1:end]
		words = words[end:]

		if err := g.checkTurnLabel(label); err != nil {
			return m, err
		}
		switch {
		case len(turn) == 0:
			continue
		case m.Result.Reason == Resignation:
			return m, fmt.Errorf("turn %s: the game is over: %v has resigned", label, m.Result.Winner.Other())
		case len(turn) == 1 && turn[0] == "resigns" && !g.result.Over():
			m.Result = Result{g.side.Other(), Resignation}
			continue
		case len(turn) == 1 && turn[0] == "takeback":
			last := len(marks) - 1
			if last < 0 {
				return m, fmt.Errorf("turn %s: there is no turn to take back", label)
			}
			g.Restore(marks[last])
			m.Actions = m.Actions[:begins[last]]
			marks, begins = marks[:last], begins[:last]
			if g.InSetup() {
				own, _ := g.setupSquares()
				m.Missing &^= own
			}
		default:
			var (
				actions []Action
				missing uint64
				err     error
			)
			if handicap && g.InSetup() {
				actions, missing, err = ParseHandicapSetup(g, strings.Join(turn, " "))
			} else {
				actions, err = ParseTurn(g, strings.Join(turn, " "))
			}
			if err != nil {
				return m, fmt.Errorf("turn %s: %w", label, err)
			}
			m.Missing |= missing
			marks, begins = append(marks, g.Mark()), append(begins, len(m.Actions))
			for _, a := range actions {
				g.PlayHandicap(a, m.Missing)
			}
			m.Actions = append(m.Actions, actions...)
		}
		m.Result = g.result
	}
	return m, nil
}

// words returns the words of a move list, without those of its tags.
func words(text string) (all []string) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, `\n`, "\n"), byteOrderMark)
	for line := range strings.Lines(text) {
		if !isTag(line) {
			all = append(all, strings.Fields(line)...)
		}
	}
	return all
}

// FormatMoveList writes the game that actions play from [New], one turn per line.
// [ParseMoveList] reads the text back. The actions must be legal; FormatMoveList
// does not check them.
func FormatMoveList(actions []Action) string { return FormatHandicapList(actions, 0) }

// FormatHandicapList is like [FormatMoveList], for a game whose pieces on the given
// squares were gone when the setups were over. [ParseHandicapList] reads the text
// back.
func FormatHandicapList(actions []Action, missing uint64) string {
	var text strings.Builder
	g := New()
	for len(actions) > 0 {
		play, n := g.Clone(), 0
		for n < len(actions) && play.side == g.side && play.InSetup() == g.InSetup() {
			play.PlayHandicap(actions[n], missing)
			n++
		}
		turn := FormatTurn(g, actions[:n])
		if missing != 0 && g.InSetup() {
			turn = withoutSquares(turn, missing)
		}
		text.WriteString(strings.TrimRight(g.TurnLabel()+" "+turn, " ") + "\n")
		g, actions = play, actions[n:]
	}
	return text.String()
}

// checkTurnLabel returns an error unless label names the next turn.
func (g *Game) checkTurnLabel(label string) error {
	turn, side, err := parseTurnLabel(label)
	if err != nil {
		return err
	}
	if want, _, _ := parseTurnLabel(g.TurnLabel()); turn != want || side != g.side {
		return fmt.Errorf("turn %s: out of order: the next turn is %s", label, g.TurnLabel())
	}
	return nil
}

func isTurnLabel(word string) bool {
	_, _, err := parseTurnLabel(word)
	return err == nil
}
