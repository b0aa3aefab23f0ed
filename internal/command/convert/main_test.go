package convert

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/internal/metrics"
)

// The games of several runs are converted, with a line about each.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	runs := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
	for i, version := range []string{"v1", "v4"} {
		if err := os.CopyFS(filepath.Join(runs[i], "games"), os.DirFS("../../convert/testdata/"+version)); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := (&flags{Runs: runs}).run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 3 || lines[0] != runs[0]+": 2 files with 10 games converted" ||
		!strings.HasPrefix(lines[1], runs[1]+": 4 files with 18 games converted, 4 games left out (with a handicap") {
		t.Errorf("it says:\n%s", out.String())
	}
	if err := (&flags{Runs: []string{filepath.Join(dir, "none")}}).run(t.Context(), &out); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("error %v for a run that does not exist", err)
	}
	other := t.TempDir()
	if err := (&flags{Runs: []string{other}}).run(t.Context(), &out); err == nil || !strings.Contains(err.Error(), "no run and no games") {
		t.Errorf("error %v for a directory of other things", err)
	}
	if left, err := os.ReadDir(other); err != nil || len(left) > 0 {
		t.Errorf("it left %v there (%v)", left, err)
	}
}

// On a terminal the line about each run is above the bar.
func TestReportIsAboveTheBar(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "games"), os.DirFS("../../convert/testdata/v1")); err != nil {
		t.Fatal(err)
	}
	var terminal strings.Builder
	if err := (&flags{Runs: []string{dir}}).convert(t.Context(), metrics.OnTerminal(&terminal), &terminal); err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(terminal.String(), dir+": 2 files with 10 games converted\n")
	if !found || !strings.Contains(before, "%") || !strings.HasSuffix(before, "\r") {
		t.Errorf("the terminal gets %q", terminal.String())
	}
}
