package ptx

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"warren/internal/compute"
)

// Device is a device of package compute that interprets the PTX of programs. A queue works as late
// as possible: only once somebody waits. A kernel with a fault loses the device.
type Device struct {
	// Seed chooses the order in which kernels do what has no order.
	Seed uint64
	// Bytes is the size of the memory, 4 GiB if it is 0.
	Bytes int64
	// Compute is the compute capability, 90 if it is 0.
	Compute int
}

// Info describes the device.
func (d *Device) Info() compute.Info {
	bytes := d.Bytes
	if bytes == 0 {
		bytes = 4 << 30
	}
	capability := d.Compute
	if capability == 0 {
		capability = 90
	}
	return compute.Info{Driver: "ptx", Name: "PTX interpreter", Memory: bytes, Units: 1, Compute: capability}
}

// Open parses the program's PTX.
func (d *Device) Open(p compute.Program) (compute.Context, error) {
	c := &context{memory: NewMemory(), seed: d.Seed, free: d.Info().Memory}
	for _, text := range append([]func() ([]byte, error){p.PTX}, p.More...) {
		ptx, err := text()
		if err != nil {
			return nil, err
		}
		m, err := Parse(ptx)
		if err != nil {
			return nil, fmt.Errorf("building the kernels: %w", err)
		}
		c.modules = append(c.modules, m)
	}
	return c, nil
}

// context has the memory of a program, and runs one kernel at a time.
type context struct {
	modules []*Module

	mu     sync.Mutex
	memory *Memory
	free   int64 // bytes
	seed   uint64
	lost   error
}

func (c *context) Close() error { return nil }

type deviceBuffer struct {
	context *context
	at      uint64
	bytes   []byte
}

func (c *context) Buffer(bytes int) (compute.Buffer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return nil, c.lost
	}
	if c.free < int64(bytes) {
		return nil, fmt.Errorf("allocating %d MiB: %w", bytes>>20, compute.ErrMemory)
	}
	c.free -= int64(bytes)
	b := &deviceBuffer{context: c}
	b.at, b.bytes = c.memory.Allocate(bytes)
	return b, nil
}

func (b *deviceBuffer) Release() {
	b.context.mu.Lock()
	defer b.context.mu.Unlock()
	b.context.free += int64(len(b.bytes))
	b.context.memory.Free(b.at)
}

type staging []byte

func (c *context) Staging(bytes int) (compute.Staging, error) { return make(staging, bytes), nil }

func (s staging) Bytes() []byte { return s }
func (s staging) Release()      {}

type deviceKernel struct {
	module *Module
	launch Launch
}

func (c *context) Kernel(name string, group int, args ...any) (compute.Kernel, error) {
	i := slices.IndexFunc(c.modules, func(m *Module) bool { return m.kernels[name] != nil })
	if i < 0 {
		return nil, fmt.Errorf("there is no kernel %s", name)
	}
	l := Launch{Kernel: name, Threads: group}
	for i, arg := range args {
		switch v := arg.(type) {
		case *deviceBuffer:
			l.Arguments = append(l.Arguments, v.at)
		case int32:
			l.Arguments = append(l.Arguments, v)
		case compute.Local:
			l.Shared = int(v)
		default:
			return nil, fmt.Errorf("the kernel %s, argument %d: a %T cannot be an argument of a kernel", name, i, arg)
		}
	}
	return &deviceKernel{c.modules[i], l}, c.modules[i].check(l)
}

func (k *deviceKernel) Release() {}

// queue has the operations that nobody has waited for.
type queue struct {
	context *context
	mu      sync.Mutex
	waiting []func() error
	begun   int // operations, in all
}

func (c *context) Queue() (compute.Queue, error) { return &queue{context: c}, nil }

func (q *queue) add(operation func() error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, operation)
	q.begun++
	return nil
}

func (q *queue) Write(dst compute.Buffer, src compute.Staging, bytes int) error {
	to, from := dst.(*deviceBuffer).bytes, src.Bytes()
	if bytes > len(to) || bytes > len(from) {
		return fmt.Errorf("writing %d bytes from %d to %d", bytes, len(from), len(to))
	}
	return q.add(func() error { copy(to[:bytes], from); return nil })
}

func (q *queue) Read(dst compute.Staging, src compute.Buffer, bytes int) error {
	to, from := dst.Bytes(), src.(*deviceBuffer).bytes
	if bytes > len(to) || bytes > len(from) {
		return fmt.Errorf("reading %d bytes from %d to %d", bytes, len(from), len(to))
	}
	return q.add(func() error { copy(to[:bytes], from); return nil })
}

func (q *queue) Launch(launches ...compute.Launch) error {
	c := q.context
	for _, l := range launches {
		if r, ok := l.Kernel.(record); ok {
			if err := q.Launch(c.ordered(r)...); err != nil {
				return err
			}
			continue
		}
		kernel := l.Kernel.(*deviceKernel)
		launch := kernel.launch
		launch.Grid = [3]int{l.Groups[0], l.Groups[1], 1}
		q.add(func() error {
			c.seed++
			launch.Seed = c.seed
			return kernel.module.Run(c.memory, launch)
		})
	}
	return nil
}

type record []compute.Stage

func (record) Release() {}

// Record records stages.
func (q *queue) Record(stages ...compute.Stage) (compute.Launch, error) {
	return compute.Launch{Kernel: record(stages)}, nil
}

// ordered returns the launches of a record. The seed chooses the order of the sequences of a stage.
func (c *context) ordered(stages []compute.Stage) (all []compute.Launch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seed++
	r := rand.New(rand.NewPCG(c.seed, 1))
	for _, stage := range stages {
		for _, i := range r.Perm(len(stage)) {
			all = append(all, stage[i]...)
		}
	}
	return all
}

func (q *queue) Flush() (compute.Mark, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return mark{q, q.begun}, nil
}

func (q *queue) Release() { mark{q, q.begun}.Wait() }

// mark is the number of operations before it.
type mark struct {
	queue  *queue
	before int
}

// Wait runs what lies before the mark.
func (m mark) Wait() error {
	q, c := m.queue, m.queue.context
	q.mu.Lock()
	defer q.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	for q.begun-len(q.waiting) < m.before {
		operation := q.waiting[0]
		q.waiting = q.waiting[1:]
		if c.lost == nil {
			if err := operation(); err != nil {
				c.lost = fmt.Errorf("%w: %w", compute.ErrLost, err)
			}
		}
	}
	return c.lost
}
