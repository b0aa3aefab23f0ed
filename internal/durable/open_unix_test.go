//go:build unix

package durable

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
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

// A file does not take the place of a device or a pipe, such as /dev/null.
func TestSpecialFilesAreNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, func(io.Writer) error { return nil }); !errors.Is(err, ErrSpecial) || !strings.Contains(err.Error(), path) {
		t.Errorf("the error is %v, want one that names a pipe", err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe has been replaced: %v", err)
	}
}
