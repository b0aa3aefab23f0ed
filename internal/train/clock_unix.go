//go:build unix

package train

import (
	"syscall"
	"time"
)

// processorTime returns the processor time that this process has used: user and
// system time, summed over all cores.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0 // Getrusage fails only for a bad address
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
