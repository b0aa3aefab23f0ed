package play

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"warren/internal/arena"
	"warren/internal/puzzle"
	"warren/internal/session"
)

// keys is a terminal at which the keys are pressed that it holds.
type keys struct {
	io.Reader
	io.Writer
}

// A person edits a line, gets back an earlier one, and pastes one at a terminal that marks it.
func TestEditing(t *testing.T) {
	const left, up, delete, paste, pasted = "\x1b[D", "\x1b[A", "\x7f", "\x1b[200~", "\x1b[201~"
	e := edit(keys{strings.NewReader("Ed2m" + delete + "n\r" + "d2n" + left + left + left + "E\r" + up + up + "\r" + "se\t Ed\t\r" + paste + "Ed2n\r" + pasted), io.Discard})
	e.words = func() []string { return []string{"setup", "step", "Ed2n", "Ed3n", "end"} }
	for i, want := range []string{"Ed2n", "Ed2n", "Ed2n", "setup Ed", "Ed2n"} {
		if got, err := e.read(t.Context(), "2g> "); err != nil || strings.Join(strings.Fields(got), " ") != want {
			t.Errorf("line %d is %q, %v; want %s", i, got, err, want)
		}
	}
	if _, err := e.read(t.Context(), ""); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

// The terminal is as before after every line, and when waiting for one is cancelled.
func TestTerminalIsRestored(t *testing.T) {
	raw := 0
	e := edit(keys{strings.NewReader("end\r"), io.Discard})
	e.raw = func() (func() error, error) {
		raw++
		return func() error { raw--; return nil }, nil
	}
	if _, err := e.read(t.Context(), ""); err != nil || raw != 0 {
		t.Errorf("%v, %d times raw after a line", err, raw)
	}
	never, end := io.Pipe()
	defer end.Close()
	e = edit(keys{never, io.Discard})
	e.raw = func() (func() error, error) {
		raw++
		return func() error { raw--; return nil }, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.read(ctx, ""); !errors.Is(err, context.Canceled) || raw != 0 {
		t.Errorf("%v, %d times raw after the end", err, raw)
	}
}

func TestComplete(t *testing.T) {
	s := session.New(session.Config{Opponent: arena.Random{}})
	c := converse(s, strings.NewReader(""), io.Discard)
	if err := s.Resume("1g " + goldSetup + "\n1s " + strings.ToLower(strings.NewReplacer("2", "7", "1", "8").Replace(goldSetup))); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"se": "setup ", "s": "s", "Ee2": "Ee2n ", "Ee2n H": "Ee2n H", "xyz": "xyz", "Ee2n Hb": "Ee2n Hb2n ", "": "",
	} {
		if got := complete(text, c.words()); got != want {
			t.Errorf("%q is completed to %q, want %q", text, got, want)
		}
	}
	if got := complete("", []string{"end", "moves", "setup"}); got != "" { // words that agree in nothing
		t.Errorf("nothing is completed to %q", got)
	}
}

// After Ctrl-C or Ctrl-D at a prompt, what is said last begins a line.
func TestFarewellIsBelowThePrompt(t *testing.T) {
	shipped, err := puzzle.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"\x03", "\x04"} {
		var game, puzzles strings.Builder
		c := converse(session.New(session.Config{Opponent: arena.Random{}}), strings.NewReader(""), &game)
		c.in, c.prompt = edit(keys{strings.NewReader("setup\r" + key), &game}), true
		if err := c.run(t.Context()); err != nil || !strings.Contains(game.String(), "\nThe game is in no file.") {
			t.Errorf("%q: %v, %q", key, err, game.String())
		}
		e := &exercise{in: edit(keys{strings.NewReader(key), &puzzles}), out: &puzzles, prompt: true, file: shipped, puzzles: []*puzzle.Puzzle{&shipped.Puzzles[0]}}
		if err := e.run(t.Context()); err != nil || !strings.Contains(puzzles.String(), "\nYou solved 0 of 0") {
			t.Errorf("%q: %v, %q", key, err, puzzles.String())
		}
	}
}
