package cuda

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"warren/internal/compute"
)

// context is the primary context of a device with a module in it.
type context struct {
	api    *api
	device *device
	id     uintptr
	module uintptr
}

// do calls f on a thread on which the context is current. Most functions of the driver need this.
func (c *context) do(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.api.check("cuCtxSetCurrent", c.api.SetCurrent(c.id)); err != nil {
		return err
	}
	return f()
}

// call is like do, for a single function.
func (c *context) call(name string, f func() int32) error {
	return c.do(func() error { return c.api.check(name, f()) })
}

// load compiles the PTX, a text that it ends with a zero.
func (c *context) load(ptx []byte) error {
	image := append(ptx[:len(ptx):len(ptx)], 0)
	log := make([]byte, 4096)
	options := [2]uint32{optionErrorBuffer, optionErrorBufferLen}
	values := struct {
		log  *byte
		size uintptr
	}{&log[0], uintptr(len(log))}
	err := c.call("cuModuleLoadDataEx", func() int32 {
		return c.api.ModuleLoad(&c.module, &image[0], uint32(len(options)), &options[0], unsafe.Pointer(&values))
	})
	if err == nil {
		return nil
	}
	log[len(log)-1] = 0
	line, _, _ := strings.Cut(strings.TrimSpace(goString(&log[0])), "\n")
	if line != "" {
		line = ": " + line
	}
	return fmt.Errorf("building the kernels: %w%s", err, line)
}

func (c *context) Close() error {
	if c.module != 0 {
		c.call("cuModuleUnload", func() int32 { return c.api.ModuleUnload(c.module) })
	}
	return c.api.check("cuDevicePrimaryCtxRelease", c.api.PrimaryRelease(c.device.id))
}

// buffer is memory on the device.
type buffer struct {
	context *context
	at      uint64
}

func (c *context) Buffer(bytes int) (compute.Buffer, error) {
	b := &buffer{context: c}
	if err := c.call("cuMemAlloc", func() int32 { return c.api.MemAlloc(&b.at, uintptr(bytes)) }); err != nil {
		return nil, fmt.Errorf("allocating %d MiB: %w", bytes>>20, err)
	}
	return b, nil
}

func (b *buffer) Release() {
	b.context.call("cuMemFree", func() int32 { return b.context.api.MemFree(b.at) })
}

// staging is pinned memory of the host.
type staging struct {
	context *context
	at      unsafe.Pointer
	size    int
}

func (c *context) Staging(bytes int) (compute.Staging, error) {
	s := &staging{context: c, size: bytes}
	const portable = 1
	if err := c.call("cuMemHostAlloc", func() int32 { return c.api.HostAlloc(&s.at, uintptr(bytes), portable) }); err != nil {
		return nil, fmt.Errorf("allocating %d MiB of pinned memory: %w", bytes>>20, err)
	}
	return s, nil
}

func (s *staging) Bytes() []byte { return unsafe.Slice((*byte)(s.at), s.size) }

func (s *staging) Release() {
	s.context.call("cuMemFreeHost", func() int32 { return s.context.api.HostFree(s.at) })
}

// kernel is a function with its arguments.
type kernel struct {
	function uintptr
	group    uint32
	name     string
	// The driver takes a pointer to every argument. They point into values, which keep
	// their place.
	values []uint64
	args   []unsafe.Pointer
}

func (c *context) Kernel(name string, group int, args ...any) (compute.Kernel, error) {
	k := &kernel{group: uint32(group), name: name, values: make([]uint64, len(args)), args: make([]unsafe.Pointer, len(args))}
	if err := c.call("cuModuleGetFunction", func() int32 { return c.api.ModuleGetFunction(&k.function, c.module, name) }); err != nil {
		return nil, fmt.Errorf("the kernel %s: %w", name, err)
	}
	for i, arg := range args {
		switch v := arg.(type) {
		case *buffer:
			k.values[i] = v.at
		case int32:
			k.values[i] = uint64(uint32(v)) // the driver reads the lower half, which comes first
		default:
			return nil, fmt.Errorf("the kernel %s, argument %d: a %T cannot be an argument of a kernel", name, i, arg)
		}
		k.args[i] = unsafe.Pointer(&k.values[i])
	}
	return k, nil
}

func (k *kernel) Release() {}
