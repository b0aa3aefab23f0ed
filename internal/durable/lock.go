package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrLocked is wrapped by the error of [Lock] if another process has the lock.
var ErrLocked = errors.New("another process is at work there")

// Lock acquires an exclusive lock on the file path, and creates the file if it does not
// exist. It does not wait: if another process has the lock, the error wraps [ErrLocked].
// Closing the returned file releases the lock, and so does the end of the process. The
// file is not removed.
func Lock(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil {
		if err := regular(info); err != nil {
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("locking: %w", err)
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return f, nil
}

// lockFileName is the name of the file that [LockDir] locks.
const lockFileName = "lock"

// LockDir makes the directory dir if there is none, and acquires the [Lock] on its file
// lock. If another process has it, the error is the sentence busy alone.
func LockDir(dir, busy string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("making the directory: %w", err)
	}
	f, err := Lock(filepath.Join(dir, lockFileName))
	if errors.Is(err, ErrLocked) {
		return nil, errors.New(busy)
	}
	return f, err
}
