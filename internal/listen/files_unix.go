//go:build unix

package listen

import (
	"math"
	"syscall"
)

// openFiles returns the limit on open files, which the Go runtime has raised as far as it may.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return 0
	}
	return int(limit.Cur)
}
