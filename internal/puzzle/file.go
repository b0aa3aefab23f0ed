package puzzle

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"warren/game"
	"warren/internal/durable"
	"warren/internal/visible"
)

// File is a set of puzzles.
type File struct {
	// Trials is the number of trials in which players tried each puzzle, to learn how
	// difficult it is: 0 if none did.
	Trials  int
	Puzzles []Puzzle
}

//go:embed puzzles.tsv
var shipped []byte

// Shipped returns the puzzles that come with the program.
func Shipped() (*File, error) { return Read(bytes.NewReader(shipped)) }

// Open reads the puzzles in a file, or those of the program if path is empty.
func Open(path string) (*File, error) {
	if path == "" {
		return Shipped()
	}
	file, err := durable.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading puzzles: %w", err)
	}
	defer file.Close()
	f, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("reading the puzzles of %s: %w", visible.Text(path), err)
	}
	return f, nil
}

// Writable returns an error if puzzles cannot be written to a file, or would replace something else, or damaged ones.
func Writable(path string) error {
	if err := durable.Writable(path); err != nil {
		return err
	}
	if _, err := Open(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNone) {
		return fmt.Errorf("%w; the file would be replaced: choose another name", err)
	}
	return nil
}

// columns is the first line of a file, up to the number of trials.
var columns = []string{"id", "kind", "position", "answer", "losing", "source", "failures"}

// separator stands between the turns of a cell.
const separator = " / "

// errNone is the error of a file that is empty, or has the names of the columns alone.
var errNone = errors.New("there are no puzzles in it")

// Read reads a file of puzzles: lines of columns separated by tabs, the first of
// which names the columns. The last column is failures/N, for N trials. Turns are
// written as in game files, without their number, and separated by " / ". The error
// is one line that names the file's line.
func Read(r io.Reader) (*File, error) {
	lines := bufio.NewScanner(r)
	f, number := &File{}, 0
	seen := map[string]bool{}
	for lines.Scan() {
		number++
		var err error
		if cells := strings.Split(lines.Text(), "\t"); number == 1 {
			err = f.readColumns(cells)
		} else {
			var p Puzzle
			if p, err = f.readPuzzle(cells); err == nil && seen[p.ID] {
				err = fmt.Errorf("the id %s stands twice", visible.Text(p.ID))
			}
			seen[p.ID] = true
			f.Puzzles = append(f.Puzzles, p)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", number+1, err)
	}
	if len(f.Puzzles) == 0 {
		return nil, errNone
	}
	return f, nil
}

func (f *File) readColumns(cells []string) error {
	last := len(columns) - 1
	text := strings.Join(cells, "\t")
	number, ok := strings.CutPrefix(text, strings.Join(columns, "\t")+"/")
	n, err := strconv.ParseUint(number, 10, 16)
	if !ok || err != nil {
		return fmt.Errorf("the columns must be %s and %s/N, separated by tabs", strings.Join(columns[:last], ", "), columns[last])
	}
	f.Trials = int(n)
	return nil
}

func (f *File) readPuzzle(cells []string) (p Puzzle, err error) {
	if len(cells) != len(columns) {
		return p, fmt.Errorf("it has %d columns, must have %d", len(cells), len(columns))
	}
	p.ID, p.Source = cells[0], cells[5]
	if p.ID == "" || strings.ContainsAny(p.ID, " \r") {
		return p, fmt.Errorf("the id %q must be one word", visible.Text(p.ID))
	}
	if p.Kind, err = ParseKind(cells[1]); err != nil {
		return p, err
	}
	if p.Board, p.Side, err = game.ParsePosition(cells[2]); err != nil {
		return p, fmt.Errorf("the position: %w", err)
	}
	if p.Game().Result().Over() {
		return p, errors.New("the position: the game is over")
	}
	if p.Answer, err = game.ParseTurn(p.Game(), cells[3]); err != nil {
		return p, fmt.Errorf("the answer: %w", err)
	}
	if p.Losing, err = readTurns(p.Game(), cells[4]); err != nil {
		return p, fmt.Errorf("the losing turns: %w", err)
	}
	switch failures, err := strconv.ParseUint(cells[6], 10, 16); {
	case err != nil || int(failures) > f.Trials:
		return p, fmt.Errorf("%q failures of %d trials", visible.Text(cells[6]), f.Trials)
	case (p.Kind == Trap) != (len(p.Losing) > 0):
		return p, fmt.Errorf("losing turns are those of a %v, and each has some", Trap)
	default:
		p.Failures = int(failures)
	}
	return p, nil
}

func readTurns(g *game.Game, cell string) (turns [][]game.Action, err error) {
	if cell == "" {
		return nil, nil
	}
	for text := range strings.SplitSeq(cell, separator) {
		turn, err := game.ParseTurn(g, text)
		if err != nil {
			return nil, err
		}
		turns = append(turns, turn)
	}
	return turns, nil
}

// Write writes a file that [Read] reads.
func (f *File) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s/%d\n", strings.Join(columns, "\t"), f.Trials)
	for i := range f.Puzzles {
		p := &f.Puzzles[i]
		var losing []string
		for _, turn := range p.Losing {
			losing = append(losing, game.FormatTurn(p.Game(), turn))
		}
		position := fmt.Sprintf("%c [%s]", p.Side.Letter(), p.Board.String())
		fmt.Fprintln(out, strings.Join([]string{
			p.ID, p.Kind.String(), position, game.FormatTurn(p.Game(), p.Answer), strings.Join(losing, separator), p.Source, strconv.Itoa(p.Failures),
		}, "\t"))
	}
	return out.Flush()
}
