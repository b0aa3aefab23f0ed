package game

import (
	"fmt"
	"strings"
)

// MoveList is a game read from its text.
type MoveList struct {
	// Game is the state after the last turn.
	Game *Game
	// Actions are the actions that lead there from [New], setups included;
	// turns that were taken back are not among them.
	Actions []Action
	// Result is how the game stands by the text: as Game.Result, or a
	// Resignation where the text ends with one.
	Result Result
}

// ParseMoveList reads a whole game as Arimaa's game files hold it:
//
//	1g Ra1 Rb1 ...
//	1s ra8 rb8 ...
//	2g Ed2n Ed3n Hb2n
//	2s takeback
//	2g Ed2n
//	2s resigns
//
// Each turn begins with its number and side, and is as [ParseTurn] reads it.
// The sides may be the w and b of files from before 2008. "takeback" in place
// of a turn takes back the turn before it; "resigns" ends the game; a turn of
// no words, such as the last line often is, changes nothing. Turns stand on
// lines of their own, or on one line, or with a written-out \n between them,
// as in the archives of games.
//
// An error names the first turn that is wrong, and the word in it. The
// MoveList then holds the game up to that turn.
func ParseMoveList(text string) (*MoveList, error) {
	m := &MoveList{Game: New()}
	var (
		g      = m.Game
		marks  []Mark // the states before each turn in force
		begins []int  // the length of Actions in those states
		words  = strings.Fields(strings.ReplaceAll(text, `\n`, "\n"))
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
		case len(turn) == 1 && turn[0] == "resigns":
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
		default:
			actions, err := ParseTurn(g, strings.Join(turn, " "))
			if err != nil {
				return m, fmt.Errorf("turn %s: %w", label, err)
			}
			marks, begins = append(marks, g.Mark()), append(begins, len(m.Actions))
			for _, a := range actions {
				g.Play(a)
			}
			m.Actions = append(m.Actions, actions...)
		}
		m.Result = g.result
	}
	return m, nil
}

// FormatMoveList writes the game that actions play from [New], which must be
// legal, one turn a line; [ParseMoveList] reads it.
func FormatMoveList(actions []Action) string {
	var text strings.Builder
	g := New()
	for len(actions) > 0 {
		play, n := g.Clone(), 0
		for n < len(actions) && play.side == g.side && play.InSetup() == g.InSetup() {
			play.Play(actions[n])
			n++
		}
		text.WriteString(strings.TrimRight(g.TurnLabel()+" "+FormatTurn(g, actions[:n]), " ") + "\n")
		g, actions = play, actions[n:]
	}
	return text.String()
}

// checkTurnLabel returns an error unless label names the turn to be played.
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
