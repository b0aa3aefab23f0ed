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

// ArchivedGame is one game of an archive, as recorded there.
type ArchivedGame struct {
	// Line is the game's line in the archive, from 1 (the header).
	Line int
	ID   string
	// Winner is the recorded winner.
	Winner Color
	// Termination is the recorded reason's letter: g goal, e elimination, m
	// immobilization, p repetition, r resignation, t time, s the official
	// score of a stopped game, i an illegal move, and perhaps others.
	Termination string
	// MoveList is the game's text, which [ParseMoveList] reads.
	MoveList string
}

// Reason returns what the recorded termination is called here; ok is false for
// an illegal move and other ends that the rules do not know.
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

// ReadArchive returns the games of an archive of arimaa.com: tab-separated
// lines, the first naming the columns, of which id, result (w or g, b or s),
// termination and movelist are read. A line that cannot be read gives an error
// that names it; reading goes on after it where that is possible.
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
