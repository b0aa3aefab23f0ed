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

// RecordedGame is one game of a file that [ReadGames] reads.
type RecordedGame struct {
	// Line is the number of the line on which the game begins.
	Line int
	// ID is the game's identifier in an archive. It is any text.
	ID string
	// Winner is the recorded winner. It has no meaning while Termination is empty.
	Winner Color
	// Termination is the letter of the recorded reason: g goal, e elimination, m
	// immobilization, p repetition, r resignation, t time, s official score of a
	// stopped game, i illegal move. Archives may use others. A move list records no
	// reason.
	Termination string
	// MoveList is the text of the game, which [ParseMoveList] reads.
	MoveList string
}

// Reason returns the [Reason] for the recorded termination. If there is none, as
// for an illegal move, ok is false.
func (a *RecordedGame) Reason() (r Reason, ok bool) {
	const letters = "gempstr" // of the reasons, from Goal on
	i := strings.Index(letters, a.Termination)
	if i < 0 || len(a.Termination) != 1 {
		return Ongoing, false
	}
	return Goal + Reason(i), true
}

// longestGame bounds the text of a game, in bytes: many times the longest ever
// played.
const longestGame = 1 << 20

// ReadGames returns an iterator over the games of a file. The file has one of two
// forms:
//
//   - an archive as arimaa.com publishes it: lines of columns separated by tabs. The
//     first line names the columns, of which ReadGames reads id, result (w or g for
//     Gold, b or s for Silver), termination and movelist;
//   - one or more move lists, one after the other, as [ParseMoveList] reads them.
//     Lines of tags, such as "Gold: alice", may be before and after each.
//
// Lines may end in CRLF, and the file may begin with a byte order mark.
//
// For a game that it cannot read, such as one without a winner or longer than 1 MiB,
// ReadGames yields an error that names the line, and continues with the next game.
// It does not read the moves: whoever uses a game must be ready to leave it out.
func ReadGames(r io.Reader) iter.Seq2[RecordedGame, error] {
	return func(yield func(RecordedGame, error) bool) {
		l := &lines{r: bufio.NewReaderSize(r, 1<<16)}
		l.next()
		for l.err == nil && strings.TrimSpace(l.text) == "" && !l.long {
			l.next()
		}
		switch {
		case l.err == nil && strings.Contains(l.text, "\t") && !startsGame(l.text) && !isTag(l.text):
			readArchive(l, yield)
		case l.err == nil:
			readMoveLists(l, yield)
		case l.err == io.EOF:
			yield(RecordedGame{}, errors.New("the file has no games: it is empty"))
		default:
			yield(RecordedGame{}, fmt.Errorf("after line %d: %w", l.number, l.err))
		}
	}
}

// readArchive yields the games of an archive, whose first line l has read.
func readArchive(l *lines, yield func(RecordedGame, error) bool) {
	columns := []string{"id", "result", "termination", "movelist"}
	var index [4]int
	fields := strings.Split(l.text, "\t")
	for i, column := range columns {
		if index[i] = slices.Index(fields, column); index[i] < 0 {
			yield(RecordedGame{}, fmt.Errorf("line %d: no column %q: an archive's first line names its columns, separated by tabs", l.number, column))
			return
		}
	}
	games := 0
	for l.next(); l.err == nil; l.next() {
		if strings.TrimSpace(l.text) == "" && !l.long {
			continue
		}
		games++
		if !yield(archived(l, index)) {
			return
		}
	}
	if l.err != io.EOF {
		yield(RecordedGame{}, fmt.Errorf("after line %d: %w", l.number, l.err))
	} else if games == 0 {
		yield(RecordedGame{}, errors.New("the file has no games: it has only the names of its columns"))
	}
}

// archived returns the game on the line that l has read. Index has the numbers of
// the columns.
func archived(l *lines, index [4]int) (RecordedGame, error) {
	g, fields := RecordedGame{Line: l.number}, strings.Split(l.text, "\t")
	if l.long {
		return g, fmt.Errorf("line %d: longer than any game", l.number)
	}
	if len(fields) <= slices.Max(index[:]) {
		return g, fmt.Errorf("line %d: %d columns, fewer than the first line names", l.number, len(fields))
	}
	g.ID, g.Termination, g.MoveList = fields[index[0]], fields[index[2]], fields[index[3]]
	winner, err := ParseColor(fields[index[1]])
	if err != nil {
		return g, fmt.Errorf("line %d: the result %.20q names no winner: w or g is Gold, b or s is Silver", l.number, fields[index[1]])
	}
	g.Winner = winner
	return g, nil
}

// readMoveLists yields the games of a file of move lists, whose first line l has
// read.
func readMoveLists(l *lines, yield func(RecordedGame, error) bool) {
	var (
		g     RecordedGame
		text  strings.Builder
		last  string // line of the game
		long  bool
		games int
	)
	// flush yields the game that has been collected, if there is one.
	flush := func() bool {
		if g.Line == 0 {
			return true
		}
		games++
		found, err := g, error(nil)
		if found.MoveList = text.String(); long {
			found.MoveList, err = "", fmt.Errorf("line %d: longer than any game", g.Line)
		}
		g, long = RecordedGame{}, false
		text.Reset()
		return yield(found, err)
	}
	for ; l.err == nil; l.next() {
		tag := !l.long && isTag(l.text)
		again := startsGame(l.text) && takesBackSetup(last)
		if (tag || startsGame(l.text)) && !again && !flush() {
			return
		}
		if tag || strings.TrimSpace(l.text) == "" && !l.long {
			continue
		}
		if g.Line == 0 {
			g.Line = l.number
		}
		if long = long || l.long || text.Len()+len(l.text) > longestGame; !long {
			text.WriteString(l.text + "\n")
		}
		last = l.text
	}
	if !flush() {
		return
	}
	if l.err != io.EOF {
		yield(RecordedGame{}, fmt.Errorf("after line %d: %w", l.number, l.err))
	} else if games == 0 {
		yield(RecordedGame{}, errors.New("the file has no games: it has only tags"))
	}
}

// startsGame reports whether a line begins with the label of Gold's setup.
func startsGame(line string) bool {
	turn, side, err := parseTurnLabel(firstWord(line))
	return err == nil && turn == 1 && side == Gold
}

// takesBackSetup reports whether a line takes back Gold's setup.
func takesBackSetup(line string) bool {
	words := strings.Fields(line)
	if len(words) != 2 || words[1] != "takeback" {
		return false
	}
	turn, side, err := parseTurnLabel(words[0])
	return err == nil && turn == 1 && side == Silver
}

// isTag reports whether a line says something about a game, as "Gold: alice" or
// [Event "x"] do, and is no part of its moves.
func isTag(line string) bool {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "[") {
		return strings.HasSuffix(line, "]")
	}
	name, _, found := strings.Cut(line, ":")
	return found && !isTurnLabel(firstWord(name))
}

func firstWord(line string) string {
	for word := range strings.FieldsSeq(line) {
		return word
	}
	return ""
}

// lines reads a text line by line.
type lines struct {
	r      *bufio.Reader
	number int    // of the line that was read last, from 1
	text   string // without the end of the line, and without a byte order mark
	long   bool   // whether the line is longer than longestGame; text is then empty
	err    error  // io.EOF after the last line
}

// next reads the next line.
func (l *lines) next() {
	var line []byte
	l.long, l.text = false, ""
	for {
		part, err := l.r.ReadSlice('\n')
		if l.long = l.long || len(line)+len(part) > longestGame; !l.long {
			line = append(line, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && (err != io.EOF || len(line) == 0 && !l.long) {
			l.err = err
			return
		}
		break
	}
	if l.number++; l.long {
		return
	}
	text := strings.TrimRight(string(line), "\r\n")
	if l.number == 1 {
		text = strings.TrimPrefix(text, byteOrderMark)
	}
	l.text = text
}

// byteOrderMark is what some editors write at the beginning of a text.
const byteOrderMark = "\ufeff"
