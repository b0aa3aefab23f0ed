package cuda

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"warren/internal/compute"
)

// context is the primary context of a device with the modules of a program in it.
type context struct {
	api     *api
	device  *device
	id      uintptr
	modules []uintptr
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

// load compiles PTX. Its text must end with a zero for the driver.
func (c *context) load(text func() ([]byte, error)) error {
	ptx, err := text()
	if err != nil {
		return err
	}
	image := append(ptx[:len(ptx):len(ptx)], 0)
	log := make([]byte, 4096)
	options := [2]uint32{optionErrorBuffer, optionErrorBufferLen}
	values := struct {
		log  *byte
		size uintptr
	}{&log[0], uintptr(len(log))}
	var module uintptr
	err = c.call("cuModuleLoadDataEx", func() int32 {
		return c.api.ModuleLoad(&module, &image[0], uint32(len(options)), &options[0], unsafe.Pointer(&values))
	})
	if err == nil {
		c.modules = append(c.modules, module)
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
	for _, module := range c.modules {
		c.call("cuModuleUnload", func() int32 { return c.api.ModuleUnload(module) })
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
	local    uint32 // bytes of dynamic shared memory
	name     string
	// The driver takes a pointer to every argument. They point into values, which keep
	// their place.
	values []uint64
	args   []unsafe.Pointer
}

func (c *context) Kernel(name string, group int, args ...any) (compute.Kernel, error) {
	k := &kernel{group: uint32(group), name: name, values: make([]uint64, len(args)), args: make([]unsafe.Pointer, len(args))}
	var err error
	for _, module := range c.modules {
		if err = c.call("cuModuleGetFunction", func() int32 { return c.api.ModuleGetFunction(&k.function, module, name) }); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the kernel %s: %w", name, err)
	}
	for i, arg := range args {
		switch v := arg.(type) {
		case *buffer:
			k.values[i] = v.at
		case int32:
			k.values[i] = uint64(uint32(v)) // the driver reads the lower half, which comes first
		case compute.Local:
			k.local = uint32(v)
			continue
		default:
			return nil, fmt.Errorf("the kernel %s, argument %d: a %T cannot be an argument of a kernel", name, i, arg)
		}
		k.args[i] = unsafe.Pointer(&k.values[i])
	}
	if k.local > 0 {
		err := c.call("cuFuncSetAttribute", func() int32 { return c.api.FuncSetAttribute(k.function, attributeShared, int32(k.local)) })
		if err != nil {
			return nil, fmt.Errorf("the kernel %s with %d KB of shared memory: %w", name, k.local>>10, err)
		}
	}
	return k, nil
}

func (k *kernel) Release() {}
