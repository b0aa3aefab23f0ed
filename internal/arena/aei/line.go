package aei

import (
	"bytes"
	"strings"
)

// maxLine is the length of the longest line that is read, in bytes. The longest
// message of the protocol, a principal variation, has a few hundred.
const maxLine = 1 << 16

// lineWriter cuts what is written to it into lines and calls take with each. For
// a line longer than maxLine it calls take once with tooLong set, and skips the
// line. Write returns the first error of take.
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
		if !w.skip && len(w.partial)+len(part) > maxLine {
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

// flush calls take with the line as far as it was written.
func (w *lineWriter) flush() error {
	if w.skip {
		return nil
	}
	line := strings.TrimSpace(string(w.partial))
	w.partial = w.partial[:0]
	return w.take(line, false)
}

// message splits a line into the type of its message, which is the text up to
// the first space, and the rest.
func message(line string) (kind, rest string) {
	kind, rest, _ = strings.Cut(line, " ")
	return kind, strings.TrimSpace(rest)
}
