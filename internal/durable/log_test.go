package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLogTornAtEveryLength cuts the file to every length. The complete lines before the cut must
// survive, and appending must continue after them.
func TestLogTornAtEveryLength(t *testing.T) {
	dir := t.TempDir()
	whole := "one\n\nthree " + strings.Repeat("x", 50) + "\nfour\n"
	for cut := range len(whole) + 1 {
		path := filepath.Join(dir, "log")
		if err := os.WriteFile(path, []byte(whole[:cut]), 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := OpenLog(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Append([]byte("next")); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		want := whole[:strings.LastIndexByte(whole[:cut], '\n')+1] + "next\n"
		if got := read(t, path); got != want {
			t.Fatalf("cut at %d: %q, want %q", cut, got, want)
		}
	}
}

func TestLogKeepsEveryLine(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(dir, "log")
		os.Remove(path)
		var want strings.Builder
		for range rapid.IntRange(1, 4).Draw(rt, "sessions") {
			l, err := OpenLog(path)
			if err != nil {
				rt.Fatal(err)
			}
			for range rapid.IntRange(0, 5).Draw(rt, "lines") {
				// Use long lines too, because the incomplete last line is searched in chunks.
				line := strings.Repeat(rapid.StringMatching(`[ -~]{0,5}`).Draw(rt, "line"), rapid.SampledFrom([]int{1, 900, 5000}).Draw(rt, "times"))
				if err := l.Append([]byte(line)); err != nil {
					rt.Fatal(err)
				}
				want.WriteString(line + "\n")
			}
			if err := l.Close(); err != nil {
				rt.Fatal(err)
			}
			torn := strings.Repeat("t", rapid.SampledFrom([]int{0, 1, 4095, 4096, 9000}).Draw(rt, "torn"))
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				rt.Fatal(err)
			}
			f.WriteString(torn)
			f.Close()
		}
		l, err := OpenLog(path)
		if err != nil {
			rt.Fatal(err)
		}
		l.Close()
		if got := read(t, path); got != want.String() {
			rt.Fatalf("log has %d bytes, want %d", len(got), want.Len())
		}
	})
}

func TestLogRefusesNewline(t *testing.T) {
	l, err := OpenLog(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Append([]byte("two\nlines")); err == nil {
		t.Error("a line with a newline was accepted")
	}
}

// Lines that are not on the disk for certain are in no file either, or whoever appended them in vain and whoever reads
// the file later would not agree.
func TestLinesThatCannotBeCommitted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	commit := func(lines ...string) error {
		var all [][]byte
		for _, line := range lines {
			all = append(all, []byte(line))
		}
		return l.Commit(all...)
	}
	if err := commit("one"); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is broken")
	l.sync = func() error { return broken }
	if err := commit("two", "three"); !errors.Is(err, broken) {
		t.Errorf("committing to a broken disk: %v", err)
	}
	l.sync = l.f.Sync
	if err := commit("four", "not\na line"); err == nil {
		t.Error("a line with a newline was accepted")
	}
	if got, want := read(t, path), "one\n"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	if err := commit("five"); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, path), "one\nfive\n"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
}
