package net_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/net"
)

// TestNewest: a run stands for its newest network, and a file for itself.
func TestNewest(t *testing.T) {
	run := t.TempDir()
	if path, err := net.Newest(run); err == nil || !strings.Contains(err.Error(), "not the directory of a run") {
		t.Errorf("%s, %v of a directory without networks", path, err)
	}
	if err := os.Mkdir(filepath.Join(run, "networks"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gen-00009.safetensors", "gen-00010.safetensors", "gen-00011.safetensors.damaged", "gen-12.safetensors", "gen-best.safetensors", "other.safetensors"} {
		if err := os.WriteFile(filepath.Join(run, "networks", name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	newest := filepath.Join(run, "networks", "gen-00010.safetensors")
	for _, path := range []string{run, newest} {
		if got, err := net.Newest(path); err != nil || got != newest {
			t.Errorf("%s, %v of %s", got, err, path)
		}
	}
	if got, err := net.Newest("nothing.safetensors"); err != nil || got != "nothing.safetensors" {
		t.Errorf("%s, %v of a file that is not there", got, err)
	}
}
