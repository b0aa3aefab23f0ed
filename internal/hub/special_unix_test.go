//go:build unix

package hub

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"warren/data"
)

// What has the name of a game and is no file that can be read is named and passed over, when the spool is
// opened and later.
func TestSpoolPassesOverSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := openSpool(dir, 100, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	game := honestGame(t, testJob(), 1)
	if err := s.Put(t.Context(), game); err != nil {
		t.Fatal(err)
	}
	s.close()
	var paths []string
	for i, make := range []func(path string) error{
		func(path string) error { return syscall.Mkfifo(path, 0o666) },
		func(path string) error { return os.Symlink("/dev/zero", path) },
		func(path string) error { return os.Symlink("nowhere", path) },
		func(path string) error { return os.Mkdir(path, 0o777) },
	} {
		path := s.path(data.Hash{byte(i)})
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	log := &listened{}
	if s, err = openSpool(dir, 100, slog.New(log)); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if s.size() != 1 {
		t.Errorf("%d games wait, want 1", s.size())
	}
	for _, path := range paths {
		if !log.said(path) {
			t.Errorf("nothing is said of %s", path)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	// The file of a game that waits gives way to a named pipe.
	path := s.path(game.Hash())
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	w := &Worker{spool: s, o: WorkerOptions{Log: slog.New(log)}}
	go w.send(t.Context())
	s.drain(t.Context())
	if !log.said(path) {
		t.Errorf("nothing is said of %s", path)
	}
}

// A named pipe instead of one of the hub's files is refused in a line that names it.
func TestHubRefusesSpecialFiles(t *testing.T) {
	keys, err := OpenKeys(t.TempDir())
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
	start := func() error {
		k, err := OpenKeys(keys.dir)
		if err != nil {
			return err
		}
		if _, err := k.serverTLS(); err != nil {
			return err
		}
		if _, err := k.List(); err != nil {
			return err
		}
		if _, err := k.Activities(); err != nil {
			return err
		}
		if _, err := newLeases(k.dir).restore(0, nil); err != nil {
			return err
		}
		_, _, err = openKnown(k.dir)
		return err
	}
	for _, name := range []string{"keys.json", "tls/authority.pem", "tls/server.pem", "tls/server.key",
		"workers/a.json", activityFile, leasesFile, publishedFile} {
		path := filepath.Join(keys.dir, filepath.FromSlash(name))
		if err := os.Rename(path, path+".before"); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o666); err != nil {
			t.Fatal(err)
		}
		err := start()
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "a named pipe") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		os.Remove(path)
		os.Rename(path+".before", path)
	}
	if err := start(); err != nil {
		t.Error(err)
	}
}
