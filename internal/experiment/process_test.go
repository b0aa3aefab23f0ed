package experiment

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A worker that is told to end and fails has not saved its work. One that has not listened yet has none.
func TestWorkThatCannotBeSaved(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no shell to play a worker")
	}
	for ending, want := range map[string]string{
		"exit 0":                              "",
		"echo 'the disk is full' >&2; exit 1": "the disk is full",
		"kill -TERM $$":                       "",
		"kill -KILL $$":                       "killed",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		p := Program{Command: []string{shell, "-c", `echo '{"what":"a-1"}'; cat >/dev/null; ` + ending}}
		err := p.work(ctx, 1, filepath.Join(t.TempDir(), "log"), func(news) { cancel() })
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", ending, err, want)
		}
		cancel()
	}
}
