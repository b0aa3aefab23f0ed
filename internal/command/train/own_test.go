package train

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run continues with its own settings if no others are named, with those of --set over them,
// and on another device if this machine does not have its own.
func TestRunContinuesWithItsOwnSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	saved := filepath.Join(path, "config.yaml")
	read := func() []byte {
		t.Helper()
		text, err := os.ReadFile(saved)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	say := func(want string, args ...string) {
		t.Helper()
		output, err := command(t, args...).CombinedOutput()
		if text := string(output); !strings.Contains(text, want) || (err != nil) != strings.HasPrefix(text, "train: ") {
			t.Fatalf("%q: %v, want %q:\n%s", args, err, want, text)
		}
	}
	say("Finished.", brief(path, "sync", 1)...)
	own := read()
	rating := filepath.Join(path, "matches", "ladder-00001.json")
	if err := os.Remove(rating); err != nil { // as if it had been stopped in its last matches
		t.Fatal(err)
	}
	say("the run is finished", "--run", path)
	if _, err := os.Stat(rating); err != nil {
		t.Errorf("the last measurement is not finished: %v", err)
	}
	if now := read(); !bytes.Equal(own, now) {
		t.Errorf("the settings were\n%s\nand are now\n%s", own, now)
	}
	say("match.games                     int       40                2 ", "--run", path, "--settings")
	say("did you mean loop.generations?", "--run", path, "--set", "loop.generation=2")
	say("was begun with another network (network.blocks was 1 and now is 3, network.channels was 8 and now is 32, ", "--run", path, "--config", "quick")
	say("was begun with seed 1", "--run", path, "--set", "seed=2")
	if err := os.WriteFile(saved, bytes.Replace(own, []byte("device: \"cpu\"\n"), []byte("device: \"opencl:99\"\n"), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	say("it continues on cpu", "--run", path, "--set", "loop.generations=2")
	want := bytes.Replace(own, []byte("generations: 1\n"), []byte("generations: 2\n"), 1)
	if now := read(); !bytes.Equal(want, now) {
		t.Errorf("the settings are\n%s\nwant\n%s", now, want)
	}
	say("--set: selfplay.turn_limit is 4 only until 0.9 of the run, where loop.stages makes it 5", "--run", path,
		"--set", "selfplay.turn_limit=4", "--set", "loop.stages=0.9 selfplay.turn_limit=5")
}
