package gpu

import (
	"slices"
	"unsafe"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
)

// memory is everything that a trainer has on a device. The first error stays, and later calls do
// nothing.
type memory struct {
	info    compute.Info
	context compute.Context
	queue   compute.Queue
	owned   []interface{ Release() } // in the order in which they were made
	err     error
}

func open(d compute.Device, p compute.Program) *memory {
	m := &memory{info: d.Info()}
	if m.context, m.err = d.Open(p); m.err == nil {
		m.queue, m.err = m.context.Queue()
	}
	return m
}

// own records something to be released at the end.
func own[T interface{ Release() }](m *memory, made T, err error) T {
	if err != nil {
		m.err = err
		return made
	}
	m.owned = append(m.owned, made)
	return made
}

// buffer allocates n numbers on the device.
func (m *memory) buffer(n int) compute.Buffer {
	if m.err != nil {
		return nil
	}
	b, err := m.context.Buffer(4 * n)
	return own(m, b, err)
}

// staging is memory of the host from which a buffer is written, or to which it is read.
type staging struct {
	compute.Staging
	buffer compute.Buffer
	data   []float32
}

// staged allocates n numbers on the device and on the host.
func (m *memory) staged(n int) *staging {
	return m.host(m.buffer(n), n)
}

// again returns other memory of the host for the same buffer.
func (m *memory) again(s *staging) *staging {
	if m.err != nil {
		return nil
	}
	return m.host(s.buffer, len(s.data))
}

// host allocates memory of the host for n numbers of a buffer.
func (m *memory) host(b compute.Buffer, n int) *staging {
	if m.err != nil {
		return nil
	}
	s, err := m.context.Staging(4 * n)
	if own(m, s, err); err != nil {
		return nil
	}
	return &staging{s, b, unsafe.Slice((*float32)(unsafe.Pointer(&s.Bytes()[0])), n)}
}

// constants puts integers on the device.
func (m *memory) constants(v []int32) compute.Buffer {
	s := m.staged(len(v))
	if s == nil {
		return nil
	}
	copy(unsafe.Slice((*int32)(unsafe.Pointer(&s.Bytes()[0])), len(v)), v)
	m.write(s)
	return s.buffer
}

// write sends the numbers to the device.
func (m *memory) write(s *staging) {
	m.try(func() error { return m.queue.Write(s.buffer, s.Staging, 4*len(s.data)) })
}

// read asks for the numbers. They are there after wait.
func (m *memory) read(s *staging) {
	m.try(func() error { return m.queue.Read(s.Staging, s.buffer, 4*len(s.data)) })
}

// launch runs kernels.
func (m *memory) launch(l ...compute.Launch) { m.try(func() error { return m.queue.Launch(l...) }) }

// record returns launches that do the same as stages. A driver may take them as a whole, which costs less than one
// launch after the other.
func (m *memory) record(stages []compute.Stage) []compute.Launch {
	records, ok := m.queue.(compute.Recorder)
	if !ok || m.err != nil {
		return slices.Concat(slices.Concat(stages...)...)
	}
	whole, err := records.Record(stages...)
	own(m, whole.Kernel, err)
	return []compute.Launch{whole}
}

// wait waits for the device, and returns what has failed since the memory was opened.
func (m *memory) wait() error {
	m.waitFor(m.flush())
	return m.err
}

// flush returns what waits for everything before it. It is nil after an error.
func (m *memory) flush() (mark compute.Mark) {
	m.try(func() (err error) { mark, err = m.queue.Flush(); return err })
	return mark
}

// waitFor waits for a mark, even after an error of something later: the host's memory may be in use until then.
func (m *memory) waitFor(mark compute.Mark) {
	if mark == nil {
		return
	}
	if err := mark.Wait(); m.err == nil {
		m.err = err
	}
}

func (m *memory) try(f func() error) {
	if m.err == nil {
		m.err = f()
	}
}

func (m *memory) run(groups [2]int, call kernels.Call) compute.Launch {
	if m.err != nil {
		return compute.Launch{}
	}
	k, err := kernels.New(m.context, call)
	return compute.Launch{Kernel: own(m, k, err), Groups: groups}
}

// release frees everything.
func (m *memory) release() error {
	if m.context == nil {
		return nil
	}
	if m.queue != nil {
		m.queue.Release() // first, so that nothing uses the memory any more
	}
	for i := len(m.owned) - 1; i >= 0; i-- {
		m.owned[i].Release()
	}
	return m.context.Close()
}
