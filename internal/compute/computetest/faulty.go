// Package computetest has, for tests, a device on which operations fail.
package computetest

import (
	"fmt"
	"strings"
	"sync/atomic"

	"warren/internal/compute"
)

// Faulty is a device on which operations fail and whose compiler changes programs.
type Faulty struct {
	compute.Device
	From, To       string // the first From in the source of a program becomes To
	Once           bool   // an operation fails once
	Opened, Closed int

	fault atomic.Pointer[fault]
}

type fault struct {
	operation string
	err       error
}

// Fail makes an operation (Buffer, Launch, Flush or Wait) return an error that wraps is; nil mends the device.
func (f *Faulty) Fail(operation string, is error) {
	f.fault.Store(nil)
	if is != nil {
		f.fault.Store(&fault{operation, fmt.Errorf("injected: %w", is)})
	}
}

func (f *Faulty) err(operation string) error {
	now := f.fault.Load()
	if now == nil || now.operation != operation {
		return nil
	}
	if f.Once {
		f.fault.Store(nil)
	}
	return now.err
}

// Open opens the device.
func (f *Faulty) Open(p compute.Program) (compute.Context, error) {
	f.Opened++
	p.Source = strings.Replace(p.Source, f.From, f.To, 1)
	c, err := f.Device.Open(p)
	if err != nil {
		return nil, err
	}
	return &context{c, f}, nil
}

type context struct {
	compute.Context
	f *Faulty
}

func (c *context) Close() error {
	c.f.Closed++
	return c.Context.Close()
}

func (c *context) Buffer(bytes int) (compute.Buffer, error) {
	if err := c.f.err("Buffer"); err != nil {
		return nil, err
	}
	return c.Context.Buffer(bytes)
}

func (c *context) Queue() (compute.Queue, error) {
	q, err := c.Context.Queue()
	return &queue{q, c.f}, err
}

type queue struct {
	compute.Queue
	f *Faulty
}

func (q *queue) Launch(l ...compute.Launch) error {
	if err := q.f.err("Launch"); err != nil {
		return err
	}
	return q.Queue.Launch(l...)
}

func (q *queue) Flush() (compute.Mark, error) {
	if err := q.f.err("Flush"); err != nil {
		return nil, err
	}
	m, err := q.Queue.Flush()
	return &mark{m, q.f}, err
}

type mark struct {
	compute.Mark
	f *Faulty
}

func (m *mark) Wait() error {
	if err := m.Mark.Wait(); err != nil {
		return err
	}
	return m.f.err("Wait")
}
