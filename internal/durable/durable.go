// Package durable writes the files of a run so that a crash never leaves a file half written.
//
// It knows nothing about games or networks. Single files are written with [WriteFile], [WriteBytes] or
// [WriteJSON], and whole directories with [WriteDir]. Series that grow line by line, such as
// metrics, are written with [Log]. A directory that only one process may use is locked by [LockDir].
// [List] finds the files of a directory by their names. [Open], [ReadFile] and [ReadJSON] read files,
// and nothing that only looks like a file.
//
// # What WriteFile promises
//
// Whoever opens the file sees either the old content or the new content, complete, even if the
// process or the machine stops at any moment. When WriteFile has returned nil, the new content
// and its name are on the disk, as far as the operating system can guarantee it. Windows and
// some network file systems cannot sync a directory. There a power failure may lose the new
// name, but the file is still complete.
//
// # What Log promises
//
// A log contains complete lines in the order in which they were appended. If a crash leaves an
// incomplete last line, the next [OpenLog] removes it. See [Log] for details.
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

// TempPrefix is the prefix of the names of all files that are not yet complete. Code that reads a
// directory must skip such names. After a crash, [Sweep] removes the files.
const TempPrefix = ".tmp-"

// IsTemp reports whether path names a temporary file: one that is being written, or that a killed
// writer has left behind.
func IsTemp(path string) bool {
	return strings.HasPrefix(filepath.Base(path), TempPrefix)
}

// WriteFile replaces the content of the file path by what write writes to a buffered writer. It
// writes a temporary file in the same directory, syncs it, renames it to path, and syncs the
// directory. The directory must exist, and path, if it does, must be a regular file. A symbolic link
// at path is replaced, not followed: whoever may write to the directory, as everybody may to /tmp,
// could have a file elsewhere replaced by it. If any of this fails, WriteFile removes the temporary
// file and leaves path unchanged. There is one exception: if syncing the directory fails, path
// already has the new content. The error of a write is an [fs.PathError] with path, not the
// temporary name.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	failed := func(err error) error { return &fs.PathError{Op: "writing", Path: path, Err: err} }
	f, err := begin(path)
	if err != nil {
		return failed(err)
	}
	renamed := false
	// Clean up in a deferred function, so that a panic in write leaves nothing behind either.
	defer func() {
		if !renamed {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	b := bufio.NewWriterSize(nameless{f}, 1<<16)
	if err := write(b); err != nil {
		return failed(err)
	}
	if err := b.Flush(); err != nil {
		return failed(err)
	}
	if err := f.Sync(); err != nil {
		return failed(cause(err))
	}
	// Close the file before renaming it, because Windows cannot rename an open file.
	if err := f.Close(); err != nil {
		return failed(cause(err))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return failed(cause(err))
	}
	renamed = true
	return SyncDir(filepath.Dir(path))
}

// WriteBytes replaces the content of the file path, as [WriteFile] does.
func WriteBytes(path string, content []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// begin opens the temporary file for what is to be at path.
func begin(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil {
		if err := regular(info); err != nil { // the administrator could replace a device
			return nil, err
		}
	}
	f, err := createTemp(filepath.Dir(path))
	if err != nil {
		return nil, cause(err)
	}
	return f, nil
}

// Writable returns the error with which [WriteFile] would fail at once: path is a directory or a device, or the
// directory that it is in is missing or may not be written to. It is for what takes long to compute.
func Writable(path string) error {
	f, err := begin(path)
	if err != nil {
		return &fs.PathError{Op: "writing", Path: path, Err: err}
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// nameless passes writes on to a temporary file, whose name its errors do not have.
type nameless struct{ f *os.File }

func (n nameless) Write(p []byte) (int, error) {
	written, err := n.f.Write(p)
	return written, cause(err)
}

// cause returns an error of a file without the operation and the name of the file.
func cause(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}

// createTemp is like os.CreateTemp, but gives the file ordinary permissions (0666 before umask)
// instead of 0600. The file later gets its final name, and other users must be able to read it.
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

// SyncDir makes creations, renames and removals in dir durable. On systems that cannot do that
// (Windows, some network file systems), it does nothing and returns nil.
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

// Sweep removes the temporary files in dir that were left by writers killed in [WriteFile]. It does
// not look into subdirectories. Call it only when no other process writes to dir, for example when
// a run starts. If dir does not exist, Sweep does nothing.
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
