package aei

import (
	"bytes"
	"strings"
)

// MaxLine is the length in bytes above which a line is not a message. The
// longest that the protocol needs, a principal variation, has a few hundred.
const MaxLine = 1 << 16

// lineWriter cuts what is written to it into lines. A line longer than MaxLine
// is not kept: take is called once with tooLong set, and the rest of it skipped.
// An error of take is returned by Write, and ends the writing.
type lineWriter struct {
	take    func(line string, tooLong bool) error
	partial []byte
	skip    bool // until the next line feed
}

func (w *lineWriter) Write(p []byte) (int, error) {
	size := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		part := p
		if end >= 0 {
			part = p[:end]
		}
		p = p[len(part):]
		if !w.skip && len(w.partial)+len(part) > MaxLine {
			w.skip, w.partial = true, w.partial[:0]
			if err := w.take("", true); err != nil {
				return 0, err
			}
		}
		if !w.skip {
			w.partial = append(w.partial, part...)
		}
		if end < 0 {
			break
		}
		p = p[1:]
		if err := w.flush(); err != nil {
			return 0, err
		}
		w.skip = false
	}
	return size, nil
}

// flush gives away the line so far, as at the end of the input.
func (w *lineWriter) flush() error {
	if w.skip {
		return nil
	}
	line := strings.TrimSpace(string(w.partial))
	w.partial = w.partial[:0]
	return w.take(line, false)
}

// message splits a line into the type of its message, the text up to the first
// space, and the rest.
func message(line string) (kind, rest string) {
	kind, rest, _ = strings.Cut(line, " ")
	return kind, strings.TrimSpace(rest)
}
