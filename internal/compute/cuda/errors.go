package cuda

import (
	"fmt"

	"warren/internal/compute"
)

// failure is an error code of the CUDA driver.
type failure struct {
	call string
	code int32
	name string // such as "CUDA_ERROR_OUT_OF_MEMORY"
}

// check returns nil if the code says that the call succeeded.
func (a *api) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	f := &failure{call: call, code: code}
	var name *byte
	if a.GetErrorName(code, &name) == 0 && name != nil {
		f.name = goString(name)
	}
	return f
}

func (f *failure) Error() string {
	if f.name == "" {
		return fmt.Sprintf("CUDA's %s failed with code %d", f.call, f.code)
	}
	return fmt.Sprintf("CUDA's %s failed: %s (%d)", f.call, f.name, f.code)
}

// Unwrap tells the errors that package compute knows. After an error of a kernel, the driver
// gives the same code for every later call, and the process can only close the context.
func (f *failure) Unwrap() error {
	switch f.code {
	case 2: // out of memory
		return compute.ErrMemory
	case 4, 46, 101, 201, 214, 219, 220, 226, // deinitialized, unavailable, invalid device or context, ECC, links
		304, 400, 700, 701, 702, 709, 714, 715, 716, 717, 718, 719, 721, 999: // handles and kernels
		return compute.ErrLost
	}
	return nil
}
