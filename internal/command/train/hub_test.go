package train

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/data"
	"warren/internal/hub"
)

// A run whose hub cannot be opened does not begin, and nothing of the hub is lost.
func TestRunDoesNotBeginWithoutItsHub(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	keys, err := hub.OpenKeys(hubDir(path))
	if err != nil {
		t.Fatal(err)
	}
	authority, err := keys.Authority()
	if err == nil {
		_, err = keys.Add("a", 2, authority)
	}
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) string { return filepath.Join(hubDir(path), name) }
	for _, c := range []struct {
		want    string
		damaged string // a file of the hub
		content string // of that file; it is missing if empty
		connect string
	}{
		{"reading the hub's keys", "keys.json", "{", ""},
		{"these workers do not recognize the hub: a;", "tls/server.pem", "", ""},
		{"reading the hub's authority", "tls/authority.pem", "", ""},
		{"reading the hub's certificate", "tls/server.key", "", ""},
		{"reading about worker a", "workers/a.json", "{", ""},
		{"connecting to the hub's server nats://127.0.0.1:1", "", "", "nats://127.0.0.1:1"},
	} {
		var before []byte
		if c.damaged != "" {
			if before, err = os.ReadFile(file(c.damaged)); err != nil {
				t.Fatal(err)
			}
			err := os.Remove(file(c.damaged))
			if c.content != "" {
				err = errors.Join(err, os.WriteFile(file(c.damaged), []byte(c.content), 0o600))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		f := flags{Config: "smoke", Set: []string{"loop.mode=async"}, Run: path, Replicas: usualReplicas, Replay: usualReplay, Connect: c.connect}
		if c.connect == "" {
			f.Listen = "nats://127.0.0.1:0"
		}
		err := f.run(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", c.damaged, err, c.want)
		}
		if c.damaged != "" {
			if err := os.WriteFile(file(c.damaged), before, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"config.yaml", "networks", "metrics.jsonl", "name"} {
			if _, err := os.Stat(filepath.Join(path, name)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: the run has begun with %s, %v", c.want, name, err)
			}
		}
	}
	again, err := hub.OpenKeys(hubDir(path))
	if err != nil {
		t.Fatal(err)
	}
	if list, err := again.List(); err != nil || len(list) != 1 || list[0].Removed != nil {
		t.Errorf("the workers are %v, %v", list, err)
	}
}

// A run that continues without its hub takes no number that was given to a worker, whose games may still come.
func TestRunWithoutItsHub(t *testing.T) {
	const given = 50
	for _, mode := range []string{"async", "sync"} {
		path := filepath.Join(t.TempDir(), "run")
		if err := os.MkdirAll(hubDir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		lease := fmt.Appendf(nil, `{"first":0,"count":%d,"account":"A"}`, given)
		lease = fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(lease), lease)
		if err := os.WriteFile(filepath.Join(hubDir(path), "leases.jsonl"), lease, 0o600); err != nil {
			t.Fatal(err)
		}
		if output, err := command(t, brief(path, mode, 2)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		index, err := data.Scan(filepath.Join(path, "games"), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range index.Shards {
			if s.First < given {
				t.Errorf("%s: game %d was played, and it was a worker's", mode, s.First)
			}
		}
		if none := int(index.Next()) - given - index.Games; mode == "sync" && none != 0 {
			t.Errorf("%d of the numbers from %d to %d have no game", none, given, index.Next())
		}
	}
}
