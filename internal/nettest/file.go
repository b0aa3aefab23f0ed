package nettest

import (
	"os"
	"path/filepath"
	"testing"

	"warren/net"
)

// Small is a network for tests to which its size does not matter.
var Small = net.Config{Blocks: 1, Channels: 8, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 4}

// New returns a new network.
func New(t testing.TB, c net.Config, seed uint64) *net.Network {
	t.Helper()
	n, err := net.New(c, seed)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Save writes a network to a file, whose directory it makes if there is none, and returns the path.
func Save(t testing.TB, path string, n *net.Network, meta map[string]string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := net.Save(path, n, meta); err != nil {
		t.Fatal(err)
	}
	return path
}
