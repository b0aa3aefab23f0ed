package play

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// lines reads an input line by line; waiting for the next line can be cancelled.
type lines struct {
	next chan string
	err  error // that ended the reading, nil at the end of the input; set before next is closed
}

// longest is the length of the longest line accepted, in bytes.
const longest = 1 << 16

func readLines(r io.Reader) *lines {
	l := &lines{next: make(chan string)}
	go func() {
		defer close(l.next)
		scanner := bufio.NewScanner(r)
		scanner.Buffer(nil, longest)
		for scanner.Scan() {
			l.next <- strings.TrimSpace(scanner.Text())
		}
		if l.err = scanner.Err(); errors.Is(l.err, bufio.ErrTooLong) {
			l.err = errors.New("a line of more than 65536 bytes")
		}
	}()
	return l
}

// read waits for the next line. At the end of the input the error is io.EOF.
func (l *lines) read(ctx context.Context) (string, error) {
	select {
	case line, ok := <-l.next:
		switch {
		case ok:
			return line, nil
		case l.err != nil:
			return "", l.err
		}
		return "", io.EOF
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
