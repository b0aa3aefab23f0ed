package play

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// input is where a person's lines come from.
type input interface {
	// read asks for the next line; waiting for it can be cancelled. At the end of the input the error is io.EOF, and
	// after a line that is too long [errLong].
	read(ctx context.Context, prompt string) (string, error)
}

// longest is the length of the longest line accepted, in bytes.
const longest = 1 << 16

var errLong = fmt.Errorf("a line of more than %d bytes is not read", longest)

// lines is an input that is no terminal: a pipe or a file. It does not ask.
type lines struct {
	next chan string
	long chan struct{} // receives where a line of next would stand that is too long
	err  error         // that ended the reading, nil at the end of the input; set before next is closed
}

func readLines(r io.Reader) *lines {
	l := &lines{next: make(chan string), long: make(chan struct{})}
	go func() {
		defer close(l.next)
		buffered := bufio.NewReaderSize(r, longest)
		for {
			line, err := buffered.ReadSlice('\n')
			if errors.Is(err, bufio.ErrBufferFull) {
				l.long <- struct{}{}
				for errors.Is(err, bufio.ErrBufferFull) {
					_, err = buffered.ReadSlice('\n')
				}
				line = nil
			} else if err == nil || len(line) > 0 {
				l.next <- strings.TrimSpace(string(line))
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					l.err = err
				}
				return
			}
		}
	}()
	return l
}

func (l *lines) read(ctx context.Context, _ string) (string, error) {
	select {
	case line, ok := <-l.next:
		switch {
		case ok:
			return line, nil
		case l.err != nil:
			return "", l.err
		}
		return "", io.EOF
	case <-l.long:
		return "", errLong
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
