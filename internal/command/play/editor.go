package play

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// editor is a terminal whose lines can be edited and recalled, and whose words the tab key completes.
type editor struct {
	terminal *term.Terminal
	// raw begins and restore ends the mode in which the terminal gives every key at once.
	raw   func() (restore func() error, err error)
	words func() []string // that can stand in a line now
}

// newEditor returns an editor of the process's own terminal.
func newEditor() *editor {
	in, out := int(os.Stdin.Fd()), int(os.Stdout.Fd())
	e := edit(struct {
		io.Reader
		io.Writer
	}{os.Stdin, os.Stdout})
	e.raw = func() (func() error, error) {
		state, err := term.MakeRaw(in)
		if err != nil {
			return nil, fmt.Errorf("reading from the terminal: %w", err)
		}
		if width, height, err := term.GetSize(out); err == nil && width > 0 {
			if err := e.terminal.SetSize(width, height); err != nil {
				return nil, cmp.Or(term.Restore(in, state), err)
			}
		}
		return func() error { return term.Restore(in, state) }, nil
	}
	return e
}

// edit returns an editor over a terminal that is in raw mode.
func edit(rw io.ReadWriter) *editor {
	e := &editor{terminal: term.NewTerminal(rw, ""), words: func() []string { return nil }}
	e.raw = func() (func() error, error) { return func() error { return nil }, nil }
	e.terminal.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		head := complete(line[:pos], e.words())
		return head + line[pos:], len(head), true
	}
	return e
}

func (e *editor) read(ctx context.Context, prompt string) (string, error) {
	restore, err := e.raw()
	if err != nil {
		return "", err
	}
	e.terminal.SetPrompt(prompt)
	done := make(chan typed, 1)
	go func() {
		line, err := e.terminal.ReadLine()
		if err == term.ErrPasteIndicator {
			err = nil // a pasted line is a line
		}
		done <- typed{line, err}
	}()
	select {
	case t := <-done:
		return strings.TrimSpace(t.line), cmp.Or(t.err, restore())
	case <-ctx.Done():
		return "", cmp.Or(restore(), ctx.Err())
	}
}

// complete completes the last word of a text, as far as all words that begin so agree.
func complete(text string, words []string) string {
	i := strings.LastIndexByte(text, ' ') + 1
	common, found, several := "", false, false
	for _, w := range words {
		switch {
		case !strings.HasPrefix(w, text[i:]):
		case !found:
			common, found = w, true
		default:
			several = true
			for !strings.HasPrefix(w, common) {
				common = common[:len(common)-1]
			}
		}
	}
	switch {
	case !found:
		return text
	case several:
		return text[:i] + common
	}
	return text[:i] + common + " "
}
