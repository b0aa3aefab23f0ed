package hub

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"strconv"

	"warren/internal/durable"
)

// journal is a file of the hub's directory that grows by lines. Each is the checksum of a text in JSON and
// that text, so that damage is noticed line by line.
type journal struct{ log *durable.Log }

func openJournal(path string) (*journal, error) {
	log, err := durable.OpenLog(path)
	return &journal{log}, err
}

// append writes lines to the disk. After an error none of them is there.
func (j *journal) append(lines ...any) error {
	var texts [][]byte
	for _, v := range lines {
		line, err := checkable(v)
		if err != nil {
			return err
		}
		texts = append(texts, line)
	}
	return j.log.Commit(texts...)
}

// checkable returns the line for a value.
func checkable(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	return fmt.Appendf(nil, "%08x %s", crc32.ChecksumIEEE(text), text), err
}

// readJournal reads a journal with scanJournal. If there is no file, there are no lines.
func readJournal(path string, yield func(text []byte) error) error {
	f, err := durable.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return scanJournal(f, yield)
}

// scanJournal calls yield with the text of each line, or nil if the line is damaged. A line of commit f288acf has no
// checksum. A last line without an end was being written when the process was killed, or its end is damaged; it counts
// as damaged.
func scanJournal(f io.Reader, yield func(text []byte) error) error {
	for lines := bufio.NewReaderSize(f, 1<<16); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err := yield(checked(line)); err != nil {
			return err
		}
	}
}

// checked returns the text of a line, or nil if it is damaged.
func checked(line []byte) []byte {
	line, whole := bytes.CutSuffix(line, []byte{'\n'})
	if !whole {
		return nil
	}
	if bytes.HasPrefix(line, []byte{'{'}) {
		return line
	}
	sum, text, ok := bytes.Cut(line, []byte{' '})
	if want, err := strconv.ParseUint(string(sum), 16, 32); !ok || err != nil || uint32(want) != crc32.ChecksumIEEE(text) {
		return nil
	}
	return text
}
