package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"warren/game"
	"warren/internal/plural"
	"warren/internal/puzzle"
)

// exercise is the dialogue of a person with the program about puzzles.
type exercise struct {
	in     input
	out    io.Writer
	prompt bool // whether to ask for input
	color  bool

	file    *puzzle.File
	puzzles []*puzzle.Puzzle
	tried   int // puzzles that are over
	solved  int // of them at the first try and without help
	streak  int // solved in a row, up to the present one
	longest int

	p     *puzzle.Puzzle
	turn  []game.Action // the steps made so far
	hints int           // given for p
	wrong bool          // whether an answer to p was wrong
}

// exercises chooses puzzles, in an order that the seed draws.
func exercises(file *puzzle.File, kind, difficulty string, seed uint64) ([]*puzzle.Puzzle, error) {
	if kind != "" {
		if _, err := puzzle.ParseKind(kind); err != nil {
			return nil, fmt.Errorf("--kind: %w", err)
		}
	}
	if difficulty != "" && !slices.Contains(puzzle.Difficulties(), difficulty) {
		return nil, fmt.Errorf("--difficulty is %q, must be one of %s", difficulty, strings.Join(puzzle.Difficulties(), ", "))
	}
	var chosen []*puzzle.Puzzle
	for i := range file.Puzzles {
		p := &file.Puzzles[i]
		if (kind == "" || p.Kind.String() == kind) && (difficulty == "" || file.Trials == 0 || file.Difficulty(p) == difficulty) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("there are no such puzzles: leave out --kind or --difficulty")
	}
	rand.New(rand.NewPCG(seed, 4)).Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	return chosen, nil
}

// solve lets the person solve puzzles.
func (f *flags) solve(ctx context.Context, t *terminal) error {
	if f.Opponent != "" || f.Level != "" || f.Load != "" || f.Save != "" || f.Adviser != "" {
		return errors.New("--puzzles has no opponent, no adviser and no game: leave them out")
	}
	if name := f.given("visits", "set", "side", "device", "http"); name != "" {
		return fmt.Errorf("--%s has no effect with --puzzles: leave it out", name)
	}
	file, err := puzzle.Open(f.PuzzleFile)
	if err != nil {
		return err
	}
	chosen, err := exercises(file, f.Kind, f.Difficulty, f.Seed)
	if err != nil {
		return err
	}
	e := &exercise{in: t.in, out: t.out, prompt: t.prompt, color: t.color, file: file, puzzles: chosen}
	if editor, ok := t.in.(*editor); ok {
		editor.words = e.words
	}
	return e.run(ctx)
}

// run talks until the person leaves or the puzzles are over.
func (e *exercise) run(ctx context.Context) error {
	fmt.Fprintf(e.out, "%s. Type a turn as an answer, such as Ed2n Ed3n; \"hint\" helps, \"help\" lists what you can type.\n", plural.Of(len(e.puzzles), "puzzle"))
	for _, e.p = range e.puzzles {
		e.turn, e.hints, e.wrong = nil, 0, false
		fmt.Fprintf(e.out, "\n%s, %s. %s to move: %s\n%s", e.p.ID, e.file.Difficulty(e.p), title(e.p.Side), e.p.Kind.Task(), e.board())
		for i, turn := range e.p.Choices() {
			fmt.Fprintf(e.out, "  %d  %s\n", i+1, game.FormatTurn(e.p.Game(), turn))
		}
		for done := false; !done; {
			line, err := e.in.read(ctx, e.p.ID+"> ")
			if err == nil {
				done, err = e.obey(line)
			}
			ended := errors.Is(err, io.EOF) || ctx.Err() != nil
			if ended && e.prompt { // on its line
				fmt.Fprintln(e.out)
			}
			switch {
			case ended, errors.Is(err, errQuit):
				e.leave()
				return nil
			case errors.Is(err, errLong) || err != nil && line != "":
				fmt.Fprintln(e.out, strings.ReplaceAll(remedy(err).Error(), "\n", "; "))
			case err != nil:
				return err
			}
		}
	}
	e.leave()
	return nil
}

// obey does what a line says: a word, the number of a choice, or else a turn. It reports whether the puzzle is over.
func (e *exercise) obey(line string) (done bool, err error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false, nil
	}
	for _, w := range puzzleWords {
		if slices.Contains(w.names, words[0]) {
			if w.args == "" && len(words) > 1 {
				return false, fmt.Errorf("%q: nothing comes after %s", words[1], words[0])
			}
			return w.run(e, words[1:])
		}
	}
	if choices := e.p.Choices(); choices != nil {
		if n, err := strconv.Atoi(words[0]); err == nil {
			if n < 1 || n > len(choices) || len(words) > 1 {
				return false, fmt.Errorf("%q: the turns are 1 to %d", line, len(choices))
			}
			e.turn = choices[n-1]
			return e.judge()
		}
	}
	if len(words) > 1 && slices.Contains(endNames, words[len(words)-1]) {
		words = words[:len(words)-1] // a turn ends with its last step
	}
	if !startsWithPiece(words[0]) {
		return false, fmt.Errorf("%.20q is neither a word nor a step; \"help\" lists the words, and a step is Ed2n", words[0])
	}
	if done, err := e.steps(words); done || err != nil || len(e.turn) == 0 {
		return done, err
	}
	return e.end(nil)
}

func (e *exercise) leave() {
	fmt.Fprintf(e.out, "You solved %d of %d at the first try, and at most %d in a row.\n", e.solved, e.tried, e.longest)
}
