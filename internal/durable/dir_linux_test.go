package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A directory that cannot be removed, here a mount point, is refused before anything is written.
func TestWriteDirOnAMountPoint(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "mounted")
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", path, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("nothing can be mounted here, which needs root: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(path, 0); err != nil {
			t.Error(err)
		}
	})
	err := WriteDir(path, func(string) error { t.Error("it is written"); return nil })
	if !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), path+" cannot be replaced") {
		t.Errorf("error %v", err)
	}
	if got := strings.Join(names(t, parent), " "); got != "mounted" {
		t.Errorf("afterwards: %s", got)
	}
}
