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

// typed is a line, or the error in its place.
type typed struct {
	line string
	err  error
}

// longest is the length of the longest line accepted, in bytes.
const longest = 1 << 16

var errLong = fmt.Errorf("a line of more than %d bytes is not read", longest)

// lines is an input that is no terminal: a pipe or a file. It does not ask.
type lines chan typed

func readLines(r io.Reader) lines {
	next := make(lines)
	go func() {
		defer close(next)
		buffered := bufio.NewReaderSize(r, longest)
		for {
			line, err := buffered.ReadSlice('\n')
			if errors.Is(err, bufio.ErrBufferFull) {
				next <- typed{err: errLong}
				for errors.Is(err, bufio.ErrBufferFull) {
					_, err = buffered.ReadSlice('\n')
				}
			} else if err == nil || len(line) > 0 {
				next <- typed{line: strings.TrimSpace(string(line))}
			}
			if err != nil {
				next <- typed{err: err}
				return
			}
		}
	}()
	return next
}

func (l lines) read(ctx context.Context, _ string) (string, error) {
	select {
	case t, ok := <-l:
		if !ok {
			return "", io.EOF
		}
		return t.line, t.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
