//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestSpecialFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // the path of a socket must be short
	if err := syscall.Mkfifo("fifo", 0o666); err != nil {
		t.Fatal(err)
	}
	check(t, "fifo", "a named pipe")
	check(t, os.DevNull, "a device")
	if err := os.Symlink("/dev/zero", "zero"); err != nil {
		t.Fatal(err)
	}
	check(t, "zero", "a device")
	listener, err := net.Listen("unix", "s0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	check(t, "s0", "a socket")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), "dangling"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("dangling"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link to nothing gave %v", err)
	}
}
