package gpu

import (
	"encoding/binary"
	"testing"

	"warren/internal/compute"
)

// guarded is a device whose buffers are longer than was asked for, and full of what is not a number.
// So it shows in the results if a kernel reads what nothing has written, and intact finds what a
// kernel writes behind the end.
type guarded struct{ compute.Device }

func (g guarded) Open(p compute.Program) (compute.Context, error) {
	c, err := g.Device.Open(p)
	if err != nil {
		return nil, err
	}
	q, err := c.Queue()
	return &guardedContext{Context: c, queue: q}, err
}

type guardedContext struct {
	compute.Context
	queue compute.Queue // of its own
	all   []guardedBuffer
}

type guardedBuffer struct {
	compute.Buffer
	bytes int // asked for
}

const (
	behind   = 1 << 14    // bytes that follow a buffer
	noNumber = 0x7fc12345 // as the bits of a float32
)

func (c *guardedContext) Close() error {
	c.queue.Release()
	return c.Context.Close()
}

func (c *guardedContext) Buffer(bytes int) (compute.Buffer, error) {
	b, err := c.Context.Buffer(bytes + behind)
	if err != nil {
		return nil, err
	}
	s, err := c.Staging(bytes + behind)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	for i := 0; i < bytes+behind; i += 4 {
		binary.NativeEndian.PutUint32(s.Bytes()[i:], noNumber)
	}
	if err := c.queue.Write(b, s, bytes+behind); err != nil {
		return nil, err
	}
	c.all = append(c.all, guardedBuffer{b, bytes})
	return b, c.wait()
}

func (c *guardedContext) wait() error {
	m, err := c.queue.Flush()
	if err != nil {
		return err
	}
	return m.Wait()
}

// intact looks behind the end of every buffer.
func (c *guardedContext) intact(t *testing.T) {
	t.Helper()
	for i, b := range c.all {
		s, err := c.Staging(b.bytes + behind)
		if err != nil {
			t.Fatal(err)
		}
		err = c.queue.Read(s, b.Buffer, b.bytes+behind)
		if err == nil {
			err = c.wait()
		}
		if err != nil {
			t.Fatal(err)
		}
		for k := 0; k < behind; k += 4 {
			if v := binary.NativeEndian.Uint32(s.Bytes()[b.bytes+k:]); v != noNumber {
				t.Errorf("buffer %d of %d bytes has %#x %d bytes behind its end", i, b.bytes, v, k)
				break
			}
		}
		s.Release()
	}
}
