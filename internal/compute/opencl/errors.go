package opencl

import (
	"fmt"

	"warren/internal/compute"
)

// failure is an error code of OpenCL.
type failure struct {
	call string
	code int32
}

// check returns nil if the code says that the call succeeded.
func check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	return &failure{call, code}
}

func (f *failure) Error() string {
	if name, ok := codes[f.code]; ok {
		return fmt.Sprintf("OpenCL's %s failed: %s", f.call, name)
	}
	return fmt.Sprintf("OpenCL's %s failed with code %d", f.call, f.code)
}

// Unwrap tells the errors that package compute knows. Drivers report a device that is lost in
// many ways, so every code of running work that the program cannot have caused counts.
func (f *failure) Unwrap() error {
	switch f.code {
	case -4, -6:
		return compute.ErrMemory
	case -5:
		// It is also the code of an allocation that fails when it is first used.
		return compute.ErrLost
	case -2, -14, -36, -9999:
		return compute.ErrLost
	}
	return nil
}

// codes names the codes (cl.h).
var codes = map[int32]string{
	-1: "device not found", -2: "device not available", -3: "compiler not available",
	-4: "memory object allocation failure", -5: "out of resources", -6: "out of host memory",
	-11: "build program failure", -14: "execution status error for events in wait list",
	-30: "invalid value", -33: "invalid device", -34: "invalid context", -36: "invalid command queue",
	-38: "invalid memory object", -44: "invalid program", -45: "invalid program executable",
	-46: "invalid kernel name", -48: "invalid kernel", -49: "invalid argument index",
	-50: "invalid argument value", -51: "invalid argument size", -52: "invalid kernel arguments",
	-54: "invalid work group size", -55: "invalid work item size", -61: "invalid buffer size",
	-1001: "no platform found", -9999: "illegal access to memory",
}
