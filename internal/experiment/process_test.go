package experiment

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// shell is a program whose workers are a script of the shell, with the arguments of the work as $1, $2 and so on.
func shell(t *testing.T, script string) Program {
	t.Helper()
	path, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no shell to play a worker")
	}
	return Program{Command: []string{path, "-c", script}}
}

// A worker that is told to end and fails has not saved its work. One that has not listened yet has none.
func TestWorkThatCannotBeSaved(t *testing.T) {
	for ending, want := range map[string]string{
		"exit 0":                              "",
		"echo 'the disk is full' >&2; exit 1": "the disk is full",
		"kill -TERM $$":                       "",
		"kill -KILL $$":                       "killed",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		p := shell(t, `echo '{"what":"a-1"}'; cat >/dev/null; `+ending)
		err := p.work(ctx, 1, filepath.Join(t.TempDir(), "log"), func(news) { cancel() })
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", ending, err, want)
		}
		cancel()
	}
}

// A worker that is to start when the experiment ends does not.
func TestWorkAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := shell(t, `echo '{"what":"a-1"}'`)
	if err := p.work(ctx, 1, filepath.Join(t.TempDir(), "log"), func(n news) { t.Errorf("%s works", n.What) }); err != nil {
		t.Error(err)
	}
}

// A worker has the cores that it is given, and the lowest priority.
func TestWorkersGiveWay(t *testing.T) {
	p, got := shell(t, `echo "{\"what\":\"$GOMAXPROCS $(nice)\"}"`), ""
	lowest, _ := exec.Command("nice", "-n", "19", "nice").Output() // some systems do not tell
	if err := p.work(t.Context(), 3, filepath.Join(t.TempDir(), "log"), func(n news) { got = n.What }); err != nil {
		t.Fatal(err)
	}
	if want := "3 " + strings.TrimSpace(string(lowest)); got != want {
		t.Errorf("its cores and its priority are %q, want %q", got, want)
	}
}
