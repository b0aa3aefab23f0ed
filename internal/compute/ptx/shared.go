package ptx

import (
	"bytes"
	"fmt"
	"slices"
)

// shared is the shared memory of a block with what is known of each two bytes of it.
type shared struct {
	data    []byte
	cells   []cell
	parties *parties
}

// cell is what is known of two bytes of shared memory.
type cell struct {
	writer int32 // party, -1 if nothing was written
	wrote  uint32
	reader int32 // the only reader since, -1 if there is none, -2 if there are several
	read   uint32
	async  bool // written through the async proxy
	// barrier means that the bytes belong to an mbarrier.
	barrier bool
	line    int32  // of the instruction that wrote
	readers []read // if there are several, by party
}

// read is a party's last read of a cell.
type read struct {
	party int32
	clock uint32
}

// poison fills shared memory before a block begins. As a number in any format it is a NaN.
const poison = 0xff

// newShared uses the cells of the block before again.
func newShared(size int, parties *parties, cells *[]cell) *shared {
	n := (size + 1) / 2
	*cells = slices.Grow((*cells)[:0], n)[:n]
	for i := range *cells {
		c := &(*cells)[i]
		*c = cell{writer: -1, reader: -1, readers: c.readers[:0]}
	}
	return &shared{data: bytes.Repeat([]byte{poison}, size), cells: *cells, parties: parties}
}

// at returns the bytes at an address, and an error unless they exist and the address is a multiple
// of alignment.
func (s *shared) at(address uint64, size, alignment int) ([]byte, error) {
	offset := address - sharedBase
	switch {
	case address%uint64(alignment) != 0:
		return nil, fmt.Errorf("the address %d in shared memory is not a multiple of %d", address, alignment)
	case offset >= uint64(len(s.data)) || offset+uint64(size) > uint64(len(s.data)):
		return nil, fmt.Errorf("the address %d is outside shared memory, which is %d to %d", address, sharedBase, sharedBase+len(s.data))
	}
	return s.data[offset : offset+uint64(size)], nil
}

// load returns bytes that an observer reads, unless a write is not ordered before.
func (s *shared) load(o *observer, address uint64, size, alignment int) ([]byte, error) {
	data, err := s.at(address, size, alignment)
	if err != nil {
		return nil, err
	}
	first := int(address-sharedBase) / 2
	for i := first; i <= first+(size-1)/2; i++ {
		c := &s.cells[i]
		switch {
		case c.barrier:
			return nil, fmt.Errorf("it reads the mbarrier at %d as memory", sharedBase+2*i)
		case c.writer < 0:
			return nil, fmt.Errorf("it reads shared memory at %d, which nothing has written", sharedBase+2*i)
		case !o.after(int(c.writer), c.wrote, true, c.async):
			return nil, s.race("reads", i, o)
		}
		c.note(o)
	}
	return data, nil
}

// note remembers that the observer reads the cell.
func (c *cell) note(o *observer) {
	p := int32(o.party)
	if c.reader == -1 || c.reader >= 0 && o.after(int(c.reader), c.read, false, false) {
		c.reader, c.read = p, o.clock
		return
	}
	if c.reader >= 0 {
		c.readers = append(c.readers, read{c.reader, c.read})
		c.reader = -2
	}
	if c.readers[len(c.readers)-1].party < p { // mostly they come in order
		c.readers = append(c.readers, read{p, o.clock})
		return
	}
	i, found := slices.BinarySearchFunc(c.readers, p, func(r read, p int32) int { return int(r.party - p) })
	if found {
		c.readers[i].clock = o.clock
	} else {
		c.readers = slices.Insert(c.readers, i, read{p, o.clock})
	}
}

// store returns bytes that an observer writes at line, unless another access is not ordered before.
func (s *shared) store(o *observer, address uint64, size, alignment, line int) ([]byte, error) {
	data, err := s.at(address, size, alignment)
	if err != nil {
		return nil, err
	}
	first := int(address-sharedBase) / 2
	for i := first; i <= first+(size-1)/2; i++ {
		c := &s.cells[i]
		switch {
		case c.barrier:
			return nil, fmt.Errorf("it writes over the mbarrier at %d", sharedBase+2*i)
		case c.writer >= 0 && !o.after(int(c.writer), c.wrote, true, c.async):
			return nil, s.race("writes", i, o)
		}
		if reader := c.pending(o); reader >= 0 {
			return nil, fmt.Errorf("it writes shared memory at %d, and nothing orders this after %s, which reads it", sharedBase+2*i, s.parties.name(reader))
		}
		*c = cell{writer: int32(o.party), wrote: o.clock, reader: -1, async: o.async, line: int32(line), readers: c.readers[:0]}
	}
	return data, nil
}

// pending returns a reader of the cell that is not ordered before the observer, or -1.
func (c *cell) pending(o *observer) int {
	if c.reader >= 0 && !o.after(int(c.reader), c.read, false, false) {
		return int(c.reader)
	}
	for _, r := range c.readers {
		if !o.after(int(r.party), r.clock, false, false) {
			return int(r.party)
		}
	}
	return -1
}

// race describes an access to a cell that is not ordered after the last write.
func (s *shared) race(does string, i int, o *observer) error {
	c := &s.cells[i]
	why := "nothing orders this after"
	if o.async && !c.async && (int(c.writer) == o.party || o.view.seen[c.writer] >= c.wrote) {
		why = "no fence.proxy.async lies between this and"
	}
	return fmt.Errorf("it %s shared memory at %d, and %s the write of %s at line %d", does, sharedBase+2*i, why, s.parties.name(int(c.writer)), c.line)
}
