// Package compute defines what a graphics processor, whatever its driver, offers to the packages
// that compute on it: memory, queues, and the kernels of package internal/compute/kernels. Packages
// internal/compute/opencl and internal/compute/cuda implement it for the two drivers. They load the
// driver at run time, without cgo.
package compute

import "errors"

// ErrLost is wrapped by the errors of a device that no longer works: unplugged, reset,
// or stopped by a kernel that failed. Its context can only be closed.
var ErrLost = errors.New("the device is lost")

// ErrMemory is wrapped by the error of an allocation for which the device has not
// enough memory.
var ErrMemory = errors.New("the device has not enough memory")

// Info describes a device.
type Info struct {
	Driver string // "opencl" or "cuda"
	Number int    // among the devices of the driver, from 0
	Name   string // such as "NVIDIA H200"
	Detail string // versions, for people
	Memory int64  // bytes
	Units  int    // multiprocessors
	Host   bool   // the device is the processor itself
	// Compute is the compute capability of a CUDA device, such as 90 for 9.0.
	Compute int
}

// Device is a device that can be opened.
type Device interface {
	Info() Info
	// Open builds the program for the device. The error contains the compiler's
	// first error message.
	Open(Program) (Context, error)
}

// Program is the source of kernels in every form that a driver may want.
type Program struct {
	Source  string   // OpenCL C
	Defines []string // macros of the source, such as "STORE16"
	// PTX returns the same, compiled for CUDA.
	PTX func() ([]byte, error)
	// More are functions that return more kernels in PTX, a module each, which only some CUDA devices can
	// run.
	More []func() ([]byte, error)
}

// Context is an open device with a program. It is safe for concurrent use.
type Context interface {
	// Kernel returns a kernel of the program with its arguments, which are Buffers and int32s, and
	// the size of its work groups. A Local after them is memory of each work group.
	Kernel(name string, group int, args ...any) (Kernel, error)
	// Buffer allocates memory on the device.
	Buffer(bytes int) (Buffer, error)
	// Staging allocates memory of the host that the device can reach quickly.
	Staging(bytes int) (Staging, error)
	// Queue returns a new queue.
	Queue() (Queue, error)
	// Close releases the context, and everything that was made in it.
	Close() error
}

// Local is the bytes of local memory that a work group has in addition to what the kernel declares:
// the dynamic shared memory of a kernel in PTX. OpenCL has no such kernels.
type Local int

// Buffer is memory on a device.
type Buffer interface{ Release() }

// Staging is memory of the host from which a queue copies, and to which it copies.
type Staging interface {
	Bytes() []byte
	Release()
}

// Kernel is a kernel with its arguments. Only one queue may use it at a time.
type Kernel interface{ Release() }

// Launch is a run of a kernel over a grid of work groups.
type Launch struct {
	Kernel Kernel
	Groups [2]int
}

// Queue runs operations one after the other, without the caller waiting for them. Only
// one goroutine may use it at a time.
type Queue interface {
	// Write copies the first bytes of src to the beginning of dst.
	Write(dst Buffer, src Staging, bytes int) error
	// Launch runs kernels.
	Launch(...Launch) error
	// Read copies the first bytes of src to the beginning of dst.
	Read(dst Staging, src Buffer, bytes int) error
	// Flush makes sure that the device works on the operations, and returns what waits
	// until they are done.
	Flush() (Mark, error)
	Release()
}

// Recorder is a queue that can make one launch of several.
type Recorder interface {
	// Record returns a launch that runs stages one after the other. Its kernel is released before
	// those of the stages.
	Record(...Stage) (Launch, error)
}

// Stage is sequences of launches that need nothing of one another, so that a device may run them
// side by side.
type Stage [][]Launch

// Mark is a place in a queue.
type Mark interface {
	// Wait waits until everything before the mark is done. It is called once.
	Wait() error
}
