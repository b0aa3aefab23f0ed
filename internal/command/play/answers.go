package play

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warren/game"
	"warren/internal/puzzle"
)

// word is something the person can type about a puzzle.
type word struct {
	names      []string
	args, help string
	run        func(e *exercise, args []string) (done bool, err error)
}

var puzzleWords []word

func init() {
	say := func(text func(e *exercise) string) func(*exercise, []string) (bool, error) {
		return func(e *exercise, _ []string) (bool, error) {
			fmt.Fprint(e.out, text(e))
			return false, nil
		}
	}
	puzzleWords = []word{
		{[]string{"step", "s"}, "STEPS", "make one or more steps and leave the turn open", (*exercise).steps},
		{endNames, "", "end the turn", (*exercise).end},
		{[]string{"undo", "takeback"}, "", "take back the last step", (*exercise).undo},
		{[]string{"hint"}, "", "the piece that moves first; again: its step; again: the next step", (*exercise).hint},
		{[]string{"answer"}, "", "show the answer, and go to the next puzzle", (*exercise).answer},
		{[]string{"skip", "next"}, "", "go to the next puzzle", (*exercise).skip},
		{[]string{"moves", "legal"}, "", "list what can be played now", say(func(e *exercise) string { return strings.Join(moves(e.game()), "  ") + "\n" })},
		{[]string{"board", "show"}, "", "draw the board", say((*exercise).board)},
		{[]string{"rules"}, "", "the rules of Arimaa in a few lines, and how steps are written", say(func(*exercise) string { return rules })},
		{[]string{"help", "?"}, "", "this list", say(func(*exercise) string { return puzzleHelp() })},
		{[]string{"quit", "exit", "q"}, "", "leave", func(*exercise, []string) (bool, error) { return false, errQuit }},
	}
}

// puzzleHelp lists what can be typed.
func puzzleHelp() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %-20s %s\n", "Ed2n Ed3n Mb2n", "answer with a whole turn, or the rest of it; or with the number of a turn to choose from")
	for _, w := range puzzleWords {
		fmt.Fprintf(&b, "  %-20s %s\n", strings.TrimSpace(strings.Join(w.names, ", ")+" "+w.args), w.help)
	}
	return b.String()
}

// words returns what a line can begin with.
func (e *exercise) words() []string {
	var words []string
	for _, w := range puzzleWords {
		words = append(words, w.names...)
	}
	if e.p != nil {
		words = append(words, moves(e.game())...)
	}
	return words
}

// moves returns the steps that can be made now.
func moves(g *game.Game) []string {
	var words []string
	for _, a := range g.Legal(nil) {
		words = append(words, name(g, a))
	}
	slices.Sort(words)
	return words
}

// game returns the position with the steps made so far.
func (e *exercise) game() *game.Game { return puzzle.End(e.p.Game(), e.turn) }

func (e *exercise) board() string { return draw(e.game(), e.color) }

// steps makes steps. If they complete the turn, they are an answer.
func (e *exercise) steps(args []string) (done bool, err error) {
	actions, err := game.ParseSteps(e.game(), strings.Join(args, " "))
	if err != nil {
		return false, err
	}
	e.turn = append(slices.Clip(e.turn), actions...)
	if g := e.game(); g.Side() != e.p.Side || g.Result().Over() {
		return e.judge()
	}
	return false, nil
}

func (e *exercise) end([]string) (done bool, err error) {
	if !slices.Contains(e.game().Legal(nil), game.Pass) {
		e.turn = nil
		return false, errors.New("the turn may not end there: a push is unfinished, or the board is as before; its steps are taken back")
	}
	e.turn = append(slices.Clip(e.turn), game.Pass)
	return e.judge()
}

func (e *exercise) undo([]string) (done bool, err error) {
	if len(e.turn) == 0 {
		return false, errors.New("there is no step to take back")
	}
	e.turn = e.turn[:len(e.turn)-1]
	fmt.Fprint(e.out, e.board())
	return false, nil
}

// judge says whether the turn is the answer.
func (e *exercise) judge() (done bool, err error) {
	turn := e.turn
	e.turn = nil
	if e.p.Right(turn) {
		if e.tried++; !e.wrong && e.hints == 0 {
			e.solved++
			e.streak++
			e.longest = max(e.longest, e.streak)
		}
		row := ""
		if e.streak > 1 {
			row = fmt.Sprintf(" That is %d in a row.", e.streak)
		}
		fmt.Fprintf(e.out, "Right.%s\n", row)
		return true, nil
	}
	e.wrong, e.streak = true, 0
	fmt.Fprintf(e.out, "Not so.%s Try again, or type \"hint\".\n", e.why(turn))
	return false, nil
}

// why says what the opponent does after a wrong answer that loses.
func (e *exercise) why(turn []game.Action) string {
	reply := e.p.Refutation(turn)
	if reply == nil {
		return ""
	}
	after := puzzle.End(e.p.Game(), turn)
	return fmt.Sprintf(" %s wins by %s.", title(after.Side()), game.FormatTurn(after, reply))
}

// hint says more about the answer each time. The steps are those of the puzzle's own order.
func (e *exercise) hint([]string) (done bool, err error) {
	e.turn, e.streak = nil, 0
	first := e.p.Answer[0]
	step := name(e.p.Game(), first)
	if e.hints++; e.hints == 1 {
		fmt.Fprintf(e.out, "The piece on %v moves first.\n", first.From())
		return false, nil
	}
	shown := e.p.Answer[:min(e.hints-1, len(e.p.Answer))]
	if len(shown) > 1 {
		step = game.FormatTurn(e.p.Game(), shown)
	}
	fmt.Fprintf(e.out, "It begins with %s.\n", step)
	return false, nil
}

func (e *exercise) answer([]string) (done bool, err error) {
	fmt.Fprintf(e.out, "The answer is %s.\n", game.FormatTurn(e.p.Game(), e.p.Answer))
	return e.skip(nil)
}

func (e *exercise) skip([]string) (done bool, err error) {
	e.tried++
	e.streak = 0
	return true, nil
}
