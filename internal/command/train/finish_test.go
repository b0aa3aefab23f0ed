package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/net"
)

// A run that is finished names the network that other commands take of it, and with a gatekeeper also the one that plays.
func TestFinishedNamesTheNetworks(t *testing.T) {
	run := t.TempDir()
	var paths []string
	for generation := range 3 {
		path := net.GenerationFile(run, generation)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for playing, want := range map[int]string{2: paths[2], 1: paths[2] + "\nIt has not passed the gatekeeper; the network that plays is " + paths[1]} {
		text, err := finished(run, paths[playing])
		if _, said, _ := strings.Cut(text, "The newest network is "); err != nil || said != want {
			t.Errorf("generation %d plays: %q, %v", playing, text, err)
		}
	}
}
