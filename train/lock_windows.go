package train

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes the lock that belongs to an open file, or fails at once if
// another process has it. The system lets go of it when the process ends,
// however it ends.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
}
