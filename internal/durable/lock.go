package durable

import (
	"errors"
	"fmt"
	"os"
)

// ErrLocked is wrapped by [Lock]'s error when another process has the lock.
var ErrLocked = errors.New("another process is at work there")

// Lock takes the lock that the file at path stands for, and makes the file if
// there is none. It does not wait: if another process has the lock, the error
// wraps [ErrLocked]. Closing the file lets go of the lock; so does the end of the
// process, however it ends. The file itself stays.
func Lock(path string) (*os.File, error) {
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
