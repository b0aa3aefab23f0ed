package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// full is a file on a full disk, after some bytes.
type full struct{ room int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestLostOutputIsAnError(t *testing.T) {
	failure := errors.New("a failure")
	for _, test := range []struct {
		command func(out io.Writer) error
		want    string
	}{
		{func(out io.Writer) error { fmt.Fprint(out, "1234"); return nil }, ""},
		{func(out io.Writer) error { fmt.Fprint(out, "12345678"); fmt.Fprint(out, "9"); return nil }, "some of the output is lost: no space left"},
		{func(out io.Writer) error { _, err := fmt.Fprint(out, "12345678"); return err }, "no space left"},
		{func(out io.Writer) error { fmt.Fprint(out, "12345678"); return failure }, "a failure\nsome of the output is lost: no space left"},
		{func(io.Writer) error { return failure }, "a failure"},
	} {
		got := ""
		if err := call(t.Context(), &full{5}, func(_ context.Context, out io.Writer) error { return test.command(out) }); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("the error is %q, want %q", got, test.want)
		}
	}
}

func TestErrorsAreVisible(t *testing.T) {
	var out strings.Builder
	Print(&out, "train", errors.New("a\x1b[2Jb\nsecond\rline"))
	if want := "train: a\\x1b[2Jb\ntrain: second\\rline\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

// After Ctrl-C a command that has nothing better to say says that it is stopped.
func TestStopped(t *testing.T) {
	stopped, stop := context.WithCancelCause(t.Context())
	stop(context.Canceled)
	full := fmt.Errorf("%w\nno space left", context.Canceled)
	for _, test := range []struct {
		ctx  context.Context
		err  error
		want string
	}{
		{stopped, fmt.Errorf("reading: %w", context.Cause(stopped)), "stopped"},
		{stopped, errors.New("stopped; nothing is written"), "stopped; nothing is written"},
		{stopped, full, full.Error()},
		{t.Context(), context.Canceled, context.Canceled.Error()}, // of something else
	} {
		if err := call(test.ctx, io.Discard, func(context.Context, io.Writer) error { return test.err }); err.Error() != test.want {
			t.Errorf("the error is %q, want %q", err, test.want)
		}
	}
}

// What several parts of a program say is printed once, and what they have said themselves not again.
func TestRepeatedLinesArePrintedOnce(t *testing.T) {
	full := errors.New("saving: no space left")
	var out strings.Builder
	Print(&out, "warren train", errors.Join(ErrStopped, full, full, errors.New("stopped"), full))
	if want := "warren train: saving: no space left\nwarren train: stopped\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

// Of a full disk there is one line, which says what to do.
func TestDiskFull(t *testing.T) {
	games := fmt.Errorf("saving 40 games: writing games.parquet: %w", syscall.ENOSPC)
	learner := fmt.Errorf("saving the learner: writing step.safetensors: %w", syscall.ENOSPC)
	var out strings.Builder
	Print(&out, "warren train", errors.Join(errors.New("stopped"), games, learner))
	if want := "warren train: stopped\nwarren train: " + games.Error() + "; free some space there, then give the command again\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

// The first line about a permission says what to do.
func TestDenied(t *testing.T) {
	games := fmt.Errorf("opening games.parquet: %w", syscall.EACCES)
	told := fmt.Errorf("%w; run it as root", games)
	var out strings.Builder
	Print(&out, "warren train", errors.Join(told, games, fmt.Errorf("making runs/a: %w", syscall.EROFS)))
	want := "warren train: " + told.Error() + "\n" +
		"warren train: opening games.parquet: permission denied; get the permission, or name another one, then give the command again\n" +
		"warren train: making runs/a: read-only file system\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

func TestAgain(t *testing.T) {
	before := os.Args
	defer func() { os.Args = before }()
	for _, test := range []struct {
		args          []string
		unix, windows string
	}{
		{[]string{"train", "--run", "a"}, `train --run a`, `train --run a`},
		{[]string{"/tmp/go-build123/b001/exe/train", "--run", "my run"}, `go run ./cmd/train --run 'my run'`, `go run ./cmd/train --run "my run"`},
		{[]string{"train", "--run", "Ann's $1"}, `train --run 'Ann'\''s $1'`, `train --run "Ann's $1"`},
		{[]string{"my bin/warren", "--run", `runs\a`}, `'my bin/warren' --run 'runs\a'`, `warren --run runs\a`},
	} {
		os.Args = test.args
		c := Program("train")
		if unix, windows := c.line("linux", c.args), c.line("windows", c.args); unix != test.unix || windows != test.windows {
			t.Errorf("got %s, want %s; on Windows %s, want %s", unix, test.unix, windows, test.windows)
		}
		if want := c.line(runtime.GOOS, c.args); c.Again() != want {
			t.Errorf("got %s, want %s", c.Again(), want)
		}
	}
}

func TestSub(t *testing.T) {
	before := os.Args
	defer func() { os.Args = before }()
	os.Args = []string{"/tmp/go-build123/b001/exe/warren", "train", "worker", "add", "my laptop"}
	c := Program("warren")
	if c.Name() != "warren" || c.First() != "train" {
		t.Errorf("got %s with %s", c.Name(), c.First())
	}
	c = c.Sub().Sub()
	if c.Name() != "warren train worker" || !slices.Equal(c.Args(), []string{"add", "my laptop"}) {
		t.Errorf("got %s with %q", c.Name(), c.Args())
	}
	if want := "go run ./cmd/warren train worker add " + Quote("my laptop"); c.Again() != want {
		t.Errorf("got %s, want %s", c.Again(), want)
	}
	if words, err := c.Executable(); err != nil || !slices.Equal(words[1:], []string{"train", "worker"}) {
		t.Errorf("got %q, %v", words, err)
	}
	if os.Args = os.Args[:1]; Program("warren").First() != "" {
		t.Error("a command without arguments has a first one")
	}
}
