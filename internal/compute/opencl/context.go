package opencl

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"warren/internal/compute"
)

// context is a context with a program.
type context struct {
	api     *api
	device  *device
	id      uintptr
	program uintptr
}

func (c *context) build(p compute.Program) error {
	source := []byte(p.Source)
	text, length := &source[0], uintptr(len(source))
	var code int32
	c.program = c.api.CreateProgram(c.id, 1, &text, &length, &code)
	runtime.KeepAlive(source)
	if err := check("clCreateProgramWithSource", code); err != nil {
		return err
	}
	options := "-cl-std=CL1.2"
	for _, name := range p.Defines {
		options += " -D" + name
	}
	if err := check("clBuildProgram", c.api.BuildProgram(c.program, 1, &c.device.id, options, 0, 0)); err != nil {
		return fmt.Errorf("building the kernels: %w%s", err, c.complaint())
	}
	return nil
}

// complaint returns the first line of the compiler's log that mentions an error.
func (c *context) complaint() string {
	log := text(func(size uintptr, v unsafe.Pointer, length *uintptr) int32 {
		return c.api.GetBuildInfo(c.program, c.device.id, buildLog, size, v, length)
	})
	for line := range strings.Lines(log) {
		if strings.Contains(line, "error") {
			return ": " + strings.TrimSpace(line)
		}
	}
	return ""
}

func (c *context) Close() error {
	if c.program != 0 {
		c.api.ReleaseProgram(c.program)
	}
	return check("clReleaseContext", c.api.ReleaseContext(c.id))
}

// buffer is memory on the device.
type buffer struct {
	api  *api
	id   uintptr
	size int
}

func (c *context) Buffer(bytes int) (compute.Buffer, error) { return c.buffer(bytes, readWrite) }

func (c *context) buffer(bytes int, flags uint64) (*buffer, error) {
	var code int32
	id := c.api.CreateBuffer(c.id, flags, uintptr(bytes), 0, &code)
	if err := check("clCreateBuffer", code); err != nil {
		return nil, fmt.Errorf("allocating %d MiB: %w", bytes>>20, err)
	}
	return &buffer{c.api, id, bytes}, nil
}

func (b *buffer) Release() { b.api.ReleaseMemory(b.id) }

// staging is a buffer of the driver in the memory of the host, mapped as long as it lives.
type staging struct {
	*buffer
	queue uintptr
	at    unsafe.Pointer
}

func (c *context) Staging(bytes int) (compute.Staging, error) {
	b, err := c.buffer(bytes, readWrite|hostMemory)
	if err != nil {
		return nil, err
	}
	queue, err := c.queue()
	if err != nil {
		b.Release()
		return nil, err
	}
	var code int32
	at := c.api.EnqueueMap(queue, b.id, 1, mapReadWrite, 0, uintptr(bytes), 0, 0, nil, &code)
	if err := check("clEnqueueMapBuffer", code); err != nil {
		b.Release()
		c.api.ReleaseQueue(queue)
		return nil, err
	}
	return &staging{b, queue, at}, nil
}

func (s *staging) Bytes() []byte { return unsafe.Slice((*byte)(s.at), s.size) }

func (s *staging) Release() {
	s.api.EnqueueUnmap(s.queue, s.id, s.at, 0, 0, nil)
	s.api.Finish(s.queue)
	s.api.ReleaseQueue(s.queue)
	s.buffer.Release()
}

// kernel is a kernel with its arguments.
type kernel struct {
	api   *api
	id    uintptr
	group uintptr
	name  string
}

func (c *context) Kernel(name string, group int, args ...any) (compute.Kernel, error) {
	var code int32
	id := c.api.CreateKernel(c.program, name, &code)
	if err := check("clCreateKernel", code); err != nil {
		return nil, fmt.Errorf("the kernel %s: %w", name, err)
	}
	k := &kernel{c.api, id, uintptr(group), name}
	for i, arg := range args {
		if err := k.set(i, arg); err != nil {
			k.Release()
			return nil, fmt.Errorf("the kernel %s, argument %d: %w", name, i, err)
		}
	}
	return k, nil
}

func (k *kernel) set(i int, arg any) error {
	const call = "clSetKernelArg"
	switch v := arg.(type) {
	case *buffer:
		return check(call, k.api.SetKernelArg(k.id, uint32(i), unsafe.Sizeof(v.id), unsafe.Pointer(&v.id)))
	case int32:
		return check(call, k.api.SetKernelArg(k.id, uint32(i), unsafe.Sizeof(v), unsafe.Pointer(&v)))
	}
	return fmt.Errorf("a %T cannot be an argument of a kernel", arg)
}

func (k *kernel) Release() { k.api.ReleaseKernel(k.id) }
