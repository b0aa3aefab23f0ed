package opencl

import (
	"fmt"

	"warren/internal/compute"
)

// queue is an in-order command queue.
type queue struct {
	api *api
	id  uintptr
	// last is the event of the last Read, 0 if there was none since the last Flush.
	last uintptr
}

func (c *context) queue() (uintptr, error) {
	var code int32
	id := c.api.CreateQueue(c.id, c.device.id, 0, &code)
	return id, check("clCreateCommandQueue", code)
}

func (c *context) Queue() (compute.Queue, error) {
	id, err := c.queue()
	if err != nil {
		return nil, err
	}
	return &queue{api: c.api, id: id}, nil
}

func (q *queue) Write(dst compute.Buffer, src compute.Staging, bytes int) error {
	code := q.api.EnqueueWrite(q.id, dst.(*buffer).id, 0, 0, uintptr(bytes), src.(*staging).at, 0, 0, nil)
	return check("clEnqueueWriteBuffer", code)
}

func (q *queue) Read(dst compute.Staging, src compute.Buffer, bytes int) error {
	q.forget()
	code := q.api.EnqueueRead(q.id, src.(*buffer).id, 0, 0, uintptr(bytes), dst.(*staging).at, 0, 0, &q.last)
	return check("clEnqueueReadBuffer", code)
}

func (q *queue) Launch(launches ...compute.Launch) error {
	for _, l := range launches {
		k := l.Kernel.(*kernel)
		local := [2]uintptr{k.group, 1}
		global := [2]uintptr{uintptr(l.Groups[0]) * k.group, uintptr(l.Groups[1])}
		if code := q.api.EnqueueKernel(q.id, k.id, 2, nil, &global[0], &local[0], 0, 0, nil); code != 0 {
			return fmt.Errorf("the kernel %s: %w", k.name, check("clEnqueueNDRangeKernel", code))
		}
	}
	return nil
}

// Flush returns a mark at the end of the last Read, or at the end of everything if nothing was read
// since the last call.
func (q *queue) Flush() (compute.Mark, error) {
	if err := check("clFlush", q.api.Flush(q.id)); err != nil {
		return nil, err
	}
	if q.last == 0 {
		return finish{q}, nil
	}
	m := &mark{q.api, q.last}
	q.last = 0
	return m, nil
}

func (q *queue) Release() {
	q.api.Finish(q.id)
	q.forget()
	q.api.ReleaseQueue(q.id)
}

func (q *queue) forget() {
	if q.last != 0 {
		q.api.ReleaseEvent(q.last)
		q.last = 0
	}
}

// mark is an event.
type mark struct {
	api   *api
	event uintptr
}

func (m *mark) Wait() error {
	code := m.api.WaitForEvents(1, &m.event)
	m.api.ReleaseEvent(m.event)
	return check("clWaitForEvents", code)
}

// finish is the end of a queue.
type finish struct{ *queue }

func (f finish) Wait() error { return check("clFinish", f.api.Finish(f.id)) }
