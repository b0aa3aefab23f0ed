package train

import (
	"time"

	"golang.org/x/sys/windows"
)

// processorTime returns the processor time that this process has used: user and
// system time, summed over all cores.
func processorTime() time.Duration {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return 0 // GetProcessTimes fails only for a bad handle
	}
	return ticks(kernel) + ticks(user)
}

// ticks converts a duration in units of 100 ns. Filetime's own methods would
// interpret it as a date.
func ticks(t windows.Filetime) time.Duration {
	return time.Duration(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) * 100
}
