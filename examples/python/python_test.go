// Package python holds programs in Python that ask warren analyse.
package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The examples run, with nothing but Python's standard library, against the real program.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no Python to run them")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "warren")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if output, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "../../cmd/warren").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	run := func(args ...string) string {
		t.Helper()
		c := exec.Command(python, append([]string{"-I"}, args...)...)
		c.Env = append(os.Environ(), "WARREN="+program)
		output, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, output)
		}
		return string(output)
	}
	if text := run("ask.py", "g [        R      r                                              E ]"); !strings.Contains(text, "gold to move wins with 100.0%") || !strings.Contains(text, "Ra7n") {
		t.Errorf("ask.py: %s", text)
	}
	game := filepath.Join(dir, "game.txt")
	moves := "1g Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Ha2 Db2 Cc2 Ed2 Me2 Cf2 Dg2 Hh2\n1s ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8 ha7 db7 cc7 ed7 me7 cf7 dg7 hh7\n2g Cc2n Cc3x Hh2n\n2s ed7s ed6s\n3g\n"
	if err := os.WriteFile(game, []byte(moves), 0o666); err != nil {
		t.Fatal(err)
	}
	text := run("annotate.py", game)
	if lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) != 4 || !strings.HasPrefix(lines[2], "2g Cc2n") || !strings.Contains(lines[2], "gold ") {
		t.Errorf("annotate.py: %s", text)
	}
	if !strings.Contains(text, "better: ") { // the cat stands on a trap without a friend
		t.Errorf("annotate.py marks no mistake: %s", text)
	}
}
