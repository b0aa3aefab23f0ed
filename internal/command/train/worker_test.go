package train

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"warren/internal/hub"
)

// A worker that is silent, or whose hub is, brings no games now, even if it has just brought some. Times are those of this machine.
func TestSilentWorkersHaveNoRate(t *testing.T) {
	dir := t.TempDir()
	keys, err := hub.OpenKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	authority, err := keys.Authority()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	defer func(zone *time.Location) { time.Local = zone }(time.Local)
	time.Local = time.FixedZone("", 12*3600) // another day than that of UTC
	if now.UTC().Hour() < 12 {
		time.Local = time.FixedZone("", -13*3600)
	}
	day := now.In(time.Local).Format(time.DateOnly)
	activities := []hub.Activity{{Name: "awake", Games: 40, Rate: 2, Seen: now}, {Name: "silent", Games: 50, Rate: 3, Seen: now.Add(-time.Hour)}}
	for _, a := range activities {
		if _, err := keys.Add(a.Name, 2, authority); err != nil {
			t.Fatal(err)
		}
	}
	content, err := json.Marshal(activities)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "activity.json"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := list(&table, keys); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`  games since the hub's start  games/s  `, `\nawake +` + day + ` +` + day + ` .* 40 +2\.00 `, `\nsilent .* 50 +0\.00 `} {
		if !regexp.MustCompile(want).MatchString(table.String()) {
			t.Errorf("no %q in\n%s", want, table.String())
		}
	}
	if err := keys.Remove("silent", ""); err != nil {
		t.Fatal(err)
	}
	if err := keys.Remove("silent", ""); err == nil || !strings.HasSuffix(err.Error(), "removed already, on "+day) {
		t.Errorf("removed again: %v, want it to say %s", err, day)
	}
}

// Workers are added, listed and removed; every mistake gets one line.
func TestWorkerCommands(t *testing.T) {
	dir := t.TempDir()
	run, creds := filepath.Join(dir, "run"), filepath.Join(dir, "laptop.creds")
	empty := filepath.Join(dir, "empty") // of a run without a hub
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ok   bool
		want string
		args []string
	}{
		{false, "no run directory", []string{"worker", "list", "--run", filepath.Join(dir, "none")}},
		{false, "the name of the worker", []string{"worker", "add", "--run", run}},
		{false, "no name", []string{"worker", "list", "laptop", "--run", run}},
		{false, "must be one of", []string{"worker", "forget", "laptop", "--run", run}},
		{false, "list: --creds and --connections are for add", []string{"worker", "list", "--run", run, "--creds", creds}},
		{false, "remove: --creds and --connections are for add", []string{"worker", "remove", "laptop", "--run", run, "--connections", "9"}},
		{false, "letters, digits", []string{"worker", "add", "a/b", "--run", run, "--creds", filepath.Join(dir, "x")}},
		{false, "letters, digits", []string{"worker", "add", "a/b", "--run", filepath.Join(dir, "unmade")}},
		{false, "no run directory", []string{"worker", "list", "--run", filepath.Join(dir, "unmade")}},
		{false, "empty has no workers: train worker add adds one", []string{"worker", "list", "--run", empty}},
		{false, "empty has no workers: train worker add adds one", []string{"worker", "remove", "laptop", "--run", empty}},
		{true, "\n  warren selfplay --connect", []string{"worker", "add", "laptop", "--run", run, "--creds", creds}},
		{false, "a worker laptop already", []string{"worker", "add", "laptop", "--run", run, "--creds", creds}},
		{false, "remove it, or choose another file with --creds", []string{"worker", "add", "desktop", "--run", run, "--creds", creds}},
		{false, "already", []string{"worker", "add", "laptop", "--run", run, "--creds", creds + "2"}},
		{true, filepath.Join(run, "hub", "phone.creds"), []string{"worker", "add", "phone", "--run", run}},
		{true, "BEGIN NATS USER JWT", []string{"worker", "add", "pods", "--run", run, "--creds", "-"}},
		{true, "server_name: \"a\"", []string{"server", "--run", run, "--store", dir, "--name", "a", "--cluster", "nats://0.0.0.0:6222", "--route", "nats://a:6222"}},
		{false, "each node", []string{"server", "--run", run, "--store", dir, "--cluster", "nats://0.0.0.0:6222"}},
		{false, "no address to listen on", []string{"server", "--run", run, "--store", dir, "--listen", "here"}},
		{true, "may connect", []string{"worker", "list", "--run", run}},
		{false, "remove it first", []string{"worker", "discard", "laptop", "--run", run}},
		{true, "", []string{"worker", "remove", "laptop", "--run", run}},
		{false, "already", []string{"worker", "remove", "laptop", "--run", run}},
		{true, "", []string{"worker", "discard", "laptop", "--run", run}},
		{false, "already", []string{"worker", "discard", "laptop", "--run", run}},
		{false, "not out of the replay window", []string{"worker", "add", "laptop", "--run", run, "--creds", creds + "3"}},
		{true, "removed: ", []string{"worker", "list", "--run", run}},
		{false, "loop.mode", append(brief(filepath.Join(dir, "sync"), "sync", 1), "--listen", "nats://127.0.0.1:0")},
		{false, "one of the two", append(brief(filepath.Join(dir, "both"), "async", 1), "--listen", "nats://127.0.0.1:0", "--connect", "nats://127.0.0.1:1")},
		{false, "from 0 to 1", append(brief(filepath.Join(dir, "share"), "async", 1), "--listen", "nats://127.0.0.1:0", "--replay", "50")},
		{false, "no address to listen on", append(brief(filepath.Join(dir, "bad"), "async", 1), "--listen", "here")},
	} {
		output, err := command(t, c.args...).CombinedOutput()
		text := strings.TrimSpace(string(output))
		if (err == nil) != c.ok || !strings.Contains(text, c.want) || !c.ok && strings.Contains(text, "\n") {
			t.Errorf("%q: %v, %q, want %q", c.args, err, text, c.want)
		}
	}
	if _, err := os.Stat(hubDir(empty)); err == nil {
		t.Error("a run without a hub has been given one")
	}
	if _, err := os.Stat(creds + "2"); err == nil {
		t.Error("a credential that is not one was left behind")
	}
	for _, path := range []string{creds, filepath.Join(run, "hub", "phone.creds")} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
			t.Errorf("the credential's permissions are %v", info.Mode())
		}
	}
	if ignored, err := os.ReadFile(filepath.Join(run, "hub", ".gitignore")); err != nil || string(ignored) != "*\n" {
		t.Errorf("git is told to ignore %q, %v", ignored, err)
	}
}
