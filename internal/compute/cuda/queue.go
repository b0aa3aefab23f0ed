package cuda

import (
	"fmt"
	"runtime"
	"sync"

	"warren/internal/compute"
)

// queue is a stream of the driver.
type queue struct {
	context *context
	id      uintptr

	mu     sync.Mutex
	events []uintptr // of marks that have been waited for
}

func (c *context) Queue() (compute.Queue, error) {
	q := &queue{context: c}
	err := c.call("cuStreamCreate", func() int32 { return c.api.StreamCreate(&q.id, streamNonBlocking) })
	if err != nil {
		return nil, err
	}
	return q, nil
}

func (q *queue) Write(dst compute.Buffer, src compute.Staging, bytes int) error {
	return q.context.call("cuMemcpyHtoDAsync", func() int32 {
		return q.context.api.CopyToDevice(dst.(*buffer).at, src.(*staging).at, uintptr(bytes), q.id)
	})
}

func (q *queue) Read(dst compute.Staging, src compute.Buffer, bytes int) error {
	return q.context.call("cuMemcpyDtoHAsync", func() int32 {
		return q.context.api.CopyToHost(dst.(*staging).at, src.(*buffer).at, uintptr(bytes), q.id)
	})
}

func (q *queue) Launch(launches ...compute.Launch) error {
	return q.context.do(func() error { return q.launch(launches) })
}

// launch launches kernels and records. The context must be current.
func (q *queue) launch(launches []compute.Launch) error {
	a := q.context.api
	for _, l := range launches {
		if r, ok := l.Kernel.(*record); ok {
			if err := r.run(q); err != nil {
				return err
			}
			continue
		}
		k := l.Kernel.(*kernel)
		code := a.LaunchKernel(k.function, uint32(l.Groups[0]), uint32(l.Groups[1]), 1, k.group, 1, 1, k.local, q.id, &k.args[0], 0)
		if code != 0 {
			return fmt.Errorf("the kernel %s: %w", k.name, a.check("cuLaunchKernel", code))
		}
		runtime.KeepAlive(k)
	}
	return nil
}

// Flush records an event. The driver begins to work at once, so there is nothing to flush.
func (q *queue) Flush() (compute.Mark, error) {
	a := q.context.api
	m := &mark{queue: q}
	err := q.context.do(func() error {
		if m.event = q.event(); m.event == 0 {
			if err := a.check("cuEventCreate", a.EventCreate(&m.event, eventBlockingSync|eventDisableTiming)); err != nil {
				return err
			}
		}
		return a.check("cuEventRecord", a.EventRecord(m.event, q.id))
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// event returns an event that can be used again, or 0.
func (q *queue) event() (event uintptr) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if last := len(q.events) - 1; last >= 0 {
		event, q.events = q.events[last], q.events[:last]
	}
	return event
}

func (q *queue) Release() {
	a := q.context.api
	q.mu.Lock()
	defer q.mu.Unlock()
	q.context.do(func() error {
		a.StreamSynchronize(q.id)
		for _, event := range q.events {
			a.EventDestroy(event)
		}
		return a.check("cuStreamDestroy", a.StreamDestroy(q.id))
	})
}

// mark is an event.
type mark struct {
	queue *queue
	event uintptr
}

func (m *mark) Wait() error {
	q := m.queue
	a := q.context.api
	return q.context.do(func() error {
		err := a.check("cuEventSynchronize", a.EventSynchronize(m.event))
		q.mu.Lock()
		defer q.mu.Unlock()
		if err != nil {
			a.EventDestroy(m.event)
		} else {
			q.events = append(q.events, m.event)
		}
		return err
	})
}
