package ptx

import (
	"bytes"
	"fmt"
	"sort"
)

// Memory is the global memory of a device.
type Memory struct {
	buffers  []*buffer // by address
	last     *buffer   // that was looked up
	end      uint64
	launches int32
	// Blocks run one after the other, so they share what takes long to allocate.
	cells     []cell  // of shared memory
	registers []lanes // of all warps
}

type buffer struct {
	at     uint64
	data   []byte
	writes []use // for each two bytes the last write, nil while no kernel has written
	reads  []use // and the last read
	launch int32 // the last one that wrote
}

// use is an access of a kernel to two bytes.
type use struct {
	launch int32
	block  int32
	party  int32
	clock  uint32
	line   int32
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{end: 1 << 40} }

// Allocate returns the address of new memory, and its bytes, which are no useful numbers at first.
func (m *Memory) Allocate(size int) (uint64, []byte) {
	b := &buffer{at: m.end, data: bytes.Repeat([]byte{poison}, size)}
	m.buffers = append(m.buffers, b)
	m.end += uint64(align(size, 256) + 1<<16) // what lies between buffers is not memory
	return b.at, b.data
}

// Free frees memory.
func (m *Memory) Free(address uint64) {
	for i, b := range m.buffers {
		if b.at == address {
			m.buffers = append(m.buffers[:i:i], m.buffers[i+1:]...)
			m.last = nil
			return
		}
	}
}

// find returns the buffer and the offset of an address. The error says that there is none, or that
// the address is not a multiple of alignment.
func (m *Memory) find(address uint64, size, alignment int) (*buffer, uint64, error) {
	b := m.last
	if b == nil || address < b.at || address-b.at >= uint64(len(b.data)) {
		i := sort.Search(len(m.buffers), func(i int) bool { return m.buffers[i].at > address })
		if i == 0 {
			return nil, 0, fmt.Errorf("the address %#x is not in global memory", address)
		}
		b = m.buffers[i-1]
		m.last = b
	}
	offset := address - b.at
	switch {
	case offset+uint64(size) > uint64(len(b.data)):
		return nil, 0, fmt.Errorf("%d bytes at offset %d of a buffer of %d bytes in global memory", size, offset, len(b.data))
	case address%uint64(alignment) != 0:
		return nil, 0, fmt.Errorf("the address %#x in global memory is not a multiple of %d", address, alignment)
	}
	return b, offset, nil
}

// load returns bytes that an observer in a block reads. What the same launch has written before must
// come from the same block and be ordered before, and must not be read at all if the memory is said
// to be constant (.nc).
func (m *Memory) load(o *observer, block int32, address uint64, size, line int, constant bool) ([]byte, error) {
	b, offset, err := m.find(address, size, size)
	if err != nil {
		return nil, err
	}
	data := b.data[offset : offset+uint64(size)]
	if !constant {
		if b.reads == nil {
			b.reads = make([]use, (len(b.data)+1)/2)
		}
		for i := offset / 2; i <= (offset+uint64(size)-1)/2; i++ {
			b.reads[i] = use{m.launches, block, int32(o.party), o.clock, int32(line)}
		}
	}
	if b.launch != m.launches {
		return data, nil
	}
	for i := offset / 2; i <= (offset+uint64(size)-1)/2; i++ {
		w := &b.writes[i]
		switch {
		case w.launch != m.launches:
		case constant:
			return nil, fmt.Errorf("it reads global memory as constant (.nc) that the kernel writes at line %d", w.line)
		case w.block != block:
			return nil, fmt.Errorf("it reads global memory that another block writes at line %d", w.line)
		case !o.after(int(w.party), w.clock, true, false):
			return nil, fmt.Errorf("it reads global memory, and nothing orders this after the write of thread %d at line %d", w.party, w.line)
		}
	}
	return data, nil
}

// store returns bytes that an observer in a block writes at line.
func (m *Memory) store(o *observer, block int32, address uint64, size, line int) ([]byte, error) {
	b, offset, err := m.find(address, size, size)
	if err != nil {
		return nil, err
	}
	if b.writes == nil {
		b.writes = make([]use, (len(b.data)+1)/2)
	}
	b.launch = m.launches
	for i := offset / 2; i <= (offset+uint64(size)-1)/2; i++ {
		w := &b.writes[i]
		if err := m.ordered(o, block, w, "write"); err != nil {
			return nil, err
		}
		if b.reads != nil {
			if err := m.ordered(o, block, &b.reads[i], "read"); err != nil {
				return nil, err
			}
		}
		*w = use{m.launches, block, int32(o.party), o.clock, int32(line)}
	}
	return b.data[offset : offset+uint64(size)], nil
}

// ordered returns an error unless an observer that writes comes after an earlier use in the launch.
func (m *Memory) ordered(o *observer, block int32, u *use, does string) error {
	switch {
	case u.launch != m.launches:
	case u.block != block:
		return fmt.Errorf("it writes global memory that another block %ss at line %d", does, u.line)
	case !o.after(int(u.party), u.clock, does == "write", false):
		return fmt.Errorf("it writes global memory, and nothing orders this after the %s of thread %d at line %d", does, u.party, u.line)
	}
	return nil
}
