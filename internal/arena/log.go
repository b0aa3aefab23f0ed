package arena

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"path/filepath"

	"warren/internal/durable"
)

// GamesFile is the name of the log in a tournament's directory. The damaged lines that
// were found in it are in a file of the same name with damagedSuffix.
const (
	GamesFile     = "games.jsonl"
	damagedSuffix = ".damaged"
)

// line is a line of a tournament's log. One of its fields is set. In the file, the
// object also has the member sum at its end: the CRC-32C, in hexadecimal, of the
// object without it. Logs of earlier versions have no sums.
type line struct {
	Rules  *RulesRecord  `json:"rules,omitempty"` // the first line
	Player *loggedPlayer `json:"player,omitempty"`
	Game   *GameRecord   `json:"game,omitempty"`
}

type loggedPlayer struct {
	Name     string `json:"name"`
	Identity string `json:"identity"`
}

// castagnoli is the polynomial of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal returns a JSON object with its checksum as its last member.
func seal(text []byte) []byte {
	return fmt.Appendf(bytes.Clone(text[:len(text)-1]), `,"sum":"%08x"}`, crc32.Checksum(text, castagnoli))
}

// isSealed reports whether a line ends with its checksum.
func isSealed(text []byte) bool {
	n := len(text) - len(`,"sum":"00000000"}`)
	return n > 0 && bytes.Equal(seal(append(bytes.Clone(text[:n]), '}')), text)
}

// logLine is a line as it was read from a log.
type logLine struct {
	line
	number int
	text   []byte  // of the line, valid until the next one is read
	sealed bool    // whether it has its checksum
	damage error   // what is wrong with it, if it cannot be believed
	played *Played // Game, without its actions
}

// readLog returns the lines of a tournament's log, which may be growing. A missing file
// has none. The error says that the file cannot be read.
func readLog(path string) iter.Seq2[*logLine, error] {
	return func(yield func(*logLine, error) bool) {
		f, err := durable.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(nil, fmt.Errorf("reading a tournament: %w", err))
			return
		}
		defer f.Close()
		// If one line has a checksum, all must have one.
		sealed := false
		for l, err := range scanLog(f) {
			if sealed = err == nil && l.sealed; sealed {
				break
			}
		}
		for l, err := range scanLog(f) {
			switch {
			case err != nil:
				yield(nil, fmt.Errorf("reading %s: %w", path, err))
				return
			case sealed && !l.sealed:
				l.damage = errors.New("its checksum is wrong")
			default:
				l.damage = l.parse()
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}

// scanLog returns the complete lines of a file from its beginning. It sets number, text
// and sealed.
func scanLog(f io.ReadSeeker) iter.Seq2[*logLine, error] {
	return func(yield func(*logLine, error) bool) {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			yield(nil, err)
			return
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		lines.Split(wholeLines)
		n := 0
		for lines.Scan() {
			n++
			if !yield(&logLine{number: n, text: lines.Bytes(), sealed: isSealed(lines.Bytes())}, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, fmt.Errorf("line %d: %w", n+1, err))
		}
	}
}

// wholeLines is like [bufio.ScanLines], but leaves out a last line that is being
// written.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF {
		return len(data), nil, nil
	}
	return 0, nil, nil
}

// parse sets the line from its text.
func (l *logLine) parse() (err error) {
	if err := json.Unmarshal(l.text, &l.line); err != nil {
		return err
	}
	switch {
	case l.Game != nil:
		l.played, err = l.Game.game()
	case l.Rules == nil && l.Player == nil:
		err = errors.New("it has neither rules nor a player nor a game")
	}
	return err
}

// Games returns the games in the log of a tournament's directory, which may be
// growing. It leaves out damaged lines.
func Games(dir string) iter.Seq2[*GameRecord, error] {
	return func(yield func(*GameRecord, error) bool) {
		for l, err := range readLog(filepath.Join(dir, GamesFile)) {
			switch {
			case err != nil:
				yield(nil, err)
				return
			case l.damage != nil || l.Game == nil:
			case !yield(l.Game, nil):
				return
			}
		}
	}
}

// append appends a line with its checksum.
func (t *Tournament) append(l line) error {
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("keeping a game: %w", err)
	}
	return t.log.Append(seal(text))
}

// repair sets the damaged lines of the log aside and gives every line its checksum. The
// rules are written in front if their line is damaged.
func (t *Tournament) repair(path string, rules bool) error {
	if err := t.log.Close(); err != nil {
		return err
	}
	aside, err := durable.OpenLog(path + damagedSuffix)
	if err != nil {
		return fmt.Errorf("setting damaged lines aside: %w", err)
	}
	err = durable.WriteFile(path, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		return errors.Join(t.split(path, rules, out, aside.Append), out.Flush(), aside.Commit())
	})
	if err = errors.Join(err, aside.Close()); err != nil {
		return fmt.Errorf("setting damaged lines aside: %w", err)
	}
	log, err := durable.OpenLog(path)
	if err == nil {
		t.log = log
	}
	return err
}

// split writes the rules if told to, and then the lines of a log, to out, each with its
// checksum, and the damaged lines to aside.
func (t *Tournament) split(path string, rules bool, out io.Writer, aside func(line []byte) error) error {
	write := func(l line) error {
		text, err := json.Marshal(l)
		if err == nil {
			_, err = out.Write(append(seal(text), '\n'))
		}
		return err
	}
	if rules {
		if err := write(line{Rules: new(t.config.Rules.Record())}); err != nil {
			return err
		}
	}
	for l, err := range readLog(path) {
		switch {
		case err != nil:
		case l.damage != nil:
			err = aside(l.text)
		default:
			err = write(l.line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
