// Package puzzle holds tactical puzzles: positions with a task and one right
// answer. They were found in recorded games by exact search (package find), and
// come with the program ([Shipped]).
//
// An answer is a turn, and it is the position after it that counts: another order
// of the same steps is the same answer. A [Trap] gives turns to choose from; who does
// not choose from them is right with any turn that does not lose.
package puzzle

import (
	"fmt"
	"slices"
	"strings"

	"warren/game"
	"warren/game/tactics"
)

// Kind is what a puzzle asks for.
type Kind uint8

const (
	Goal    Kind = iota // score a goal this turn
	Forced              // play so that a goal follows next turn, against every reply
	Defence             // leave the opponent, who threatens a goal, none next turn
	Capture             // take a piece and lose none by the end of the opponent's turn
	Trap                // choose the one natural turn that gives the opponent no goal
	Gain                // take a piece next turn, against every reply, and lose none until then

	// NumKinds is the number of kinds.
	NumKinds = 6
)

var kinds = [NumKinds]struct{ name, task string }{
	{"goal", "Score a goal this turn."},
	{"forced", "Play so that you score a goal next turn, against every reply."},
	{"defence", "The opponent threatens a goal. Prevent it."},
	{"capture", "Take a piece, so that the reply can take none of yours and score no goal."},
	{"trap", "Choose the only turn after which the opponent cannot score a goal."},
	{"gain", "Play so that you take a piece next turn, against every reply, and lose none until then."},
}

// String returns the name of the kind, such as "goal".
func (k Kind) String() string { return kinds[k].name }

// Task returns what the side to move has to do, as a sentence.
func (k Kind) Task() string { return kinds[k].task }

// Names returns the names of the kinds, in their order.
func Names() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// ParseKind returns the kind with a name. The error is one line that says which
// there are.
func ParseKind(name string) (Kind, error) {
	for k := range kinds {
		if kinds[k].name == name {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("there is no kind of puzzle %.20q: the kinds are %s", name, strings.Join(Names(), ", "))
}

// Puzzle is a position in which the side to move has a task.
type Puzzle struct {
	ID    string // such as goal-017
	Kind  Kind
	Board game.Board
	Side  game.Color // to move

	// Answer is the right turn, or of a [Trap] the one among the turns to choose from.
	Answer []game.Action
	// Losing are the other turns to choose from of a [Trap]. Each gives the opponent a goal.
	Losing [][]game.Action

	// Failures is how many of the file's trials failed ([File.Trials]): the difficulty.
	Failures int
	Source   string // the game and the turn in which the position arose
}

// Game returns the puzzle's position as a game without earlier positions.
func (p *Puzzle) Game() *game.Game { return game.FromBoard(p.Board, p.Side) }

// Right reports whether a turn, which must be legal and complete, is a right answer.
func (p *Puzzle) Right(turn []game.Action) bool {
	after := End(p.Game(), turn)
	if p.Kind == Trap {
		return Safe(after)
	}
	return *End(p.Game(), p.Answer).Board() == *after.Board()
}

// Refutation returns a turn by which the opponent wins after a wrong answer, or nil
// if there is none.
func (p *Puzzle) Refutation(turn []game.Action) []game.Action {
	after := End(p.Game(), turn)
	if after.Result().Over() {
		return nil
	}
	return tactics.Winning(after)
}

// Safe reports whether the side that has just moved has not lost, and its opponent
// has no turn that wins.
func Safe(after *game.Game) bool {
	if r := after.Result(); r.Over() {
		return r.Winner != after.Side()
	}
	return tactics.Winning(after) == nil
}

// End plays legal actions from g, and returns g.
func End(g *game.Game, turn []game.Action) *game.Game {
	for _, a := range turn {
		g.Play(a)
	}
	return g
}

// Choices returns the turns to choose from of a [Trap], in an order that does not
// give the answer away; nil for other kinds.
func (p *Puzzle) Choices() [][]game.Action {
	if p.Kind != Trap {
		return nil
	}
	all := slices.Concat([][]game.Action{p.Answer}, p.Losing)
	slices.SortFunc(all, func(a, b []game.Action) int { return slices.Compare(a, b) })
	return all
}

// Difficulties returns the difficulties in words, the easiest first.
func Difficulties() []string { return []string{"easy", "medium", "hard"} }

// Difficulty returns how difficult a puzzle of the file is, in words: by whether less than
// a third, less than two thirds or more of the file's trials failed. Without trials it is
// "untried".
func (f *File) Difficulty(p *Puzzle) string {
	if f.Trials == 0 {
		return "untried"
	}
	words := Difficulties()
	return words[min(len(words)*p.Failures/f.Trials, len(words)-1)]
}
