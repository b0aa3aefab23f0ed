// Package dataset holds a sample of a data set, and a notebook that reads it.
package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// notebook is what this test reads of one.
type notebook struct {
	Cells []struct {
		Outputs []struct {
			Name string // stdout or stderr
			Text []string
			Data map[string]json.RawMessage
		}
	}
}

// read returns what a notebook has printed, and the number of its pictures.
func read(t *testing.T, path string) (printed string, pictures int) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var n notebook
	if err := json.Unmarshal(content, &n); err != nil {
		t.Fatal(err)
	}
	for _, c := range n.Cells {
		for _, o := range c.Outputs {
			if o.Name == "stdout" {
				printed += strings.Join(o.Text, "")
			}
			if o.Data["image/png"] != nil {
				pictures++
			}
		}
	}
	return printed, pictures
}

// The notebook runs from the beginning to the end, and its numbers are those that are saved in it and those of the
// card.
func TestNotebook(t *testing.T) {
	saved, pictures := read(t, "look.ipynb")
	if pictures != 5 {
		t.Errorf("%d pictures are saved in it", pictures)
	}
	card, err := os.ReadFile("sample/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var games, positions, visits int
	for line := range strings.Lines(saved) {
		fmt.Sscanf(line, "%d games, %d positions, %d visits", &games, &positions, &visits)
	}
	if games == 0 || visits == 0 || !bytes.Contains(card, fmt.Appendf(nil, "| all | %d | %d |", games, positions)) {
		t.Errorf("it counts %d games, %d positions, %d visits, and the card has others", games, positions, visits)
	}
	if testing.Short() {
		t.Skip("it runs Jupyter")
	}
	const python = "/usr/bin/python3" // Debian's, which its kernel runs on
	if err := exec.Command(python, "-c", "import ipykernel, matplotlib, nbconvert, pandas").Run(); err != nil {
		t.Skip("there is no Jupyter with pandas to run the notebook")
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "dataset"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(python, "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "run", "look.ipynb")
	run.Dir = filepath.Join(dir, "dataset")
	run.Env = append(os.Environ(), "HOME="+dir, "MPLCONFIGDIR="+dir, "PYTHONPATH=", "PYDEVD_DISABLE_FILE_VALIDATION=1")
	if output, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	again, drawn := read(t, filepath.Join(run.Dir, "run.ipynb"))
	if again != saved || drawn != pictures {
		t.Errorf("it draws %d pictures and prints\n%s\nsaved are %d and\n%s", drawn, again, pictures, saved)
	}
}
