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

// append writes lines to the disk.
func (j *journal) append(lines ...any) error {
	for _, v := range lines {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := j.log.Append(fmt.Appendf(nil, "%08x %s", crc32.ChecksumIEEE(text), text)); err != nil {
			return err
		}
	}
	return j.log.Sync()
}

// readJournal calls yield with the text of each line, or nil if the line is damaged. A line of an earlier
// version has no checksum; its text begins the line. A last line without an end was being written when the
// process was killed, or its end is damaged; it counts as damaged. If there is no file, there are no lines.
func readJournal(path string, yield func(text []byte) error) error {
	f, err := durable.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
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
	switch {
	case !whole:
		return nil
	case bytes.HasPrefix(line, []byte{'{'}):
		return line
	}
	sum, text, ok := bytes.Cut(line, []byte{' '})
	if want, err := strconv.ParseUint(string(sum), 16, 32); !ok || err != nil || uint32(want) != crc32.ChecksumIEEE(text) {
		return nil
	}
	return text
}
