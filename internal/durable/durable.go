// Package durable writes the files of a run so that a crash leaves none half written.
//
// It is the lowest room of the house: it knows nothing of games or networks. Checkpoints,
// shards and exported networks go through [WriteFile]; series that grow by a line at a time
// (metrics) go through [Log]; a directory that only one process may work in has a [Lock].
//
// # What WriteFile promises
//
// Whoever opens the path sees the old content or the new content, whole, never a mixture and
// never a part, whatever moment the process or the machine stops at. When WriteFile has
// returned nil the new content and its name have reached the disk, as far as the operating
// system can be asked for that: Windows and some network file systems cannot sync a directory,
// and there the name may be lost with the power, but not the wholeness of the file.
//
// # What Log promises
//
// See [Log]: whole lines in the order they were appended; a line torn by a crash is removed
// when the log is next opened.
package durable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// TempPrefix begins the name of every file that is not yet whole. Readers of a directory skip
// such names; after a crash [Sweep] removes them.
const TempPrefix = ".tmp-"

// IsTemp reports whether path names a file that is still being written, or was when its writer
// died.
func IsTemp(path string) bool {
	return strings.HasPrefix(filepath.Base(path), TempPrefix)
}

// WriteFile calls write with a buffered writer and makes what it wrote the content of path,
// replacing what was there: a temporary file in the same directory, synced, renamed to path,
// and the directory synced. The directory must exist. If anything fails, write included, the
// temporary file is removed and path is as it was before; only if syncing the directory is what
// failed may path hold the new content.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	f, err := createTemp(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	renamed := false
	// Deferred rather than done at each return, so that a panic in write leaves nothing behind
	// either.
	defer func() {
		if !renamed {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	b := bufio.NewWriterSize(f, 1<<16)
	if err := write(b); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	// Closed before the rename because Windows does not rename an open file.
	if err := f.Close(); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	renamed = true
	return SyncDir(filepath.Dir(path))
}

// createTemp is os.CreateTemp with the permissions an ordinary file gets (0666 before umask) in
// place of 0600: the file is renamed to its final name, and a run directory is there to be read
// by others too.
func createTemp(dir string) (*os.File, error) {
	for try := 0; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf("%s%016x", TempPrefix, rand.Uint64()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		return f, err
	}
}

// SyncDir makes creations, renames and removals in dir durable. Where the system cannot do that
// (Windows, some network file systems) it does nothing and returns nil.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("syncing directory %s: %w", dir, err)
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("syncing directory %s: %w", dir, err)
	}
	return nil
}

// Sweep removes the temporary files that writers killed in [WriteFile] left in dir (not in its
// subdirectories). Call it only where no other writer is at work, such as when a run starts
// again. A missing directory needs no sweeping.
func Sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweeping %s: %w", dir, err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !IsTemp(e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("sweeping %s: %w", dir, err)
		}
	}
	return nil
}
