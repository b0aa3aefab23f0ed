package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// lines are the lines of an input that can be waited for and given up.
type lines struct {
	next chan string
	err  error // why there are no more, nil at the end of the input; set when next is closed
}

// longest is the longest line that is taken, in bytes.
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

// read waits for a line. At the end of the input the error is io.EOF.
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
