package game

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

// ArchivedGame is one game as recorded in an archive.
type ArchivedGame struct {
	// Line is the number of the game's line in the archive. Line 1 is the header.
	Line int
	ID   string
	// Winner is the recorded winner.
	Winner Color
	// Termination is the letter of the recorded reason: g goal, e elimination, m
	// immobilization, p repetition, r resignation, t time, s official score of a
	// stopped game, i illegal move. Archives may use others.
	Termination string
	// MoveList is the text of the game, which [ParseMoveList] reads.
	MoveList string
}

// Reason returns the [Reason] for the recorded termination. If there is none, as
// for an illegal move, ok is false.
func (a *ArchivedGame) Reason() (r Reason, ok bool) {
	switch a.Termination {
	case "g":
		return Goal, true
	case "e":
		return Elimination, true
	case "m":
		return Immobilization, true
	case "p":
		return Repetition, true
	case "s":
		return TurnLimit, true
	case "t":
		return Time, true
	case "r":
		return Resignation, true
	}
	return Ongoing, false
}

// ReadArchive returns an iterator over the games of an archive in the format of
// arimaa.com. An archive consists of tab-separated lines, and its first line names
// the columns. ReadArchive reads the columns id, result (w or g for Gold, b or s
// for Silver), termination and movelist. For a line that it cannot read it yields
// an error that names the line, and then goes on with the next line if possible.
func ReadArchive(r io.Reader) iter.Seq2[ArchivedGame, error] {
	return func(yield func(ArchivedGame, error) bool) {
		columns := []string{"id", "result", "termination", "movelist"}
		var index [4]int

		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 16<<20)
		n := 0
		for lines.Scan() {
			n++
			fields := strings.Split(lines.Text(), "\t")
			if n == 1 {
				for i, column := range columns {
					if index[i] = slices.Index(fields, column); index[i] < 0 {
						yield(ArchivedGame{}, fmt.Errorf("line 1: no column %q: an archive's first line names its columns, separated by tabs", column))
						return
					}
				}
				continue
			}
			if lines.Text() == "" {
				continue
			}
			game := ArchivedGame{Line: n}
			err := error(nil)
			if len(fields) <= slices.Max(index[:]) {
				err = fmt.Errorf("line %d: %d columns, fewer than the first line names", n, len(fields))
			} else {
				game.ID, game.Termination, game.MoveList = fields[index[0]], fields[index[2]], fields[index[3]]
				if game.Winner, err = ParseColor(fields[index[1]]); err != nil {
					err = fmt.Errorf("line %d: result: %w", n, err)
				}
			}
			if !yield(game, err) {
				return
			}
		}
		err := lines.Err()
		if err == nil && n == 0 {
			err = errors.New("the archive is empty")
		}
		if err != nil {
			yield(ArchivedGame{}, fmt.Errorf("after line %d: %w", n, err))
		}
	}
}
