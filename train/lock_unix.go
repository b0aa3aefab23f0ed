//go:build unix

package train

import (
	"os"
	"syscall"
)

// lockFile takes the lock that belongs to an open file, or fails at once if
// another process has it. The system lets go of it when the process ends,
// however it ends.
func lockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
