package ptx

import (
	"encoding/binary"
	"math/bits"
)

// access compiles loads and stores.
func (c *compiler) access() func(*warp, uint32) {
	c.only("param", "global", "shared", "shared::cta", "nc", "v2", "v4")
	if !c.need(2) || len(c.parts) < 3 {
		return c.unknown()
	}
	t, space := c.typ(), c.parts[1]
	isLoad, isConstant := c.parts[0] == "ld", c.has("nc")
	data, at := c.operands[0], c.operands[1]
	if !isLoad {
		data, at = at, data
	}
	if isLoad && space == "param" {
		return c.loadParameter(data, at, t)
	}
	if data.kind != list {
		data = operand{kind: list, list: []operand{data}}
	}
	n := 1
	if c.has("v2") {
		n = 2
	} else if c.has("v4") {
		n = 4
	}
	if n != len(data.list) {
		return c.unknown()
	}
	base, offset := c.address(at)
	move := c.mover(isLoad, data.list, t)
	size := n * t.bytes()
	return func(w *warp, mask uint32) {
		addresses := base.of(w)
		for ; mask != 0 && w.block.err == nil; mask &= mask - 1 {
			lane := first(mask)
			bytes, err := w.bytes(space, addresses[lane]+offset, size, lane, !isLoad, isConstant)
			if err != nil {
				w.fault(lane, err)
				return
			}
			move(w, lane, bytes)
		}
	}
}

// bytes returns the bytes that a lane reads or writes.
func (w *warp) bytes(space string, address uint64, size, lane int, store, isConstant bool) ([]byte, error) {
	b, o := w.block, w.thread(lane)
	switch {
	case space == "global" && store:
		return b.memory.store(&o, b.number, address, size, w.line())
	case space == "global":
		return b.memory.load(&o, b.number, address, size, w.line(), isConstant)
	case store:
		return b.shared.store(&o, address, size, size, w.line())
	}
	return b.shared.load(&o, address, size, size)
}

// line returns the line of the current instruction.
func (w *warp) line() int { return w.block.kernel.code[w.groups[w.current].pc].line }

// mover returns what moves numbers between memory and registers.
func (c *compiler) mover(isLoad bool, data []operand, t typ) func(w *warp, lane int, bytes []byte) {
	if isLoad {
		var registers []int
		var widths []typ
		for _, o := range data {
			registers = append(registers, c.register(o))
			widths = append(widths, c.body.kernel.widths[o.index])
		}
		return func(w *warp, lane int, bytes []byte) {
			for i, r := range registers {
				w.registers[r][lane] = widths[i].cut(t.extend(get(bytes[i*t.bytes():], t.bytes())))
			}
		}
	}
	var sources []source
	for _, o := range data {
		sources = append(sources, c.source(o, t))
	}
	return func(w *warp, lane int, bytes []byte) {
		for i, s := range sources {
			put(bytes[i*t.bytes():], t.bytes(), s.of(w)[lane])
		}
	}
}

func get(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func put(b []byte, size int, v uint64) {
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

func (c *compiler) loadParameter(to, from operand, t typ) func(*warp, uint32) {
	if from.kind != memory || from.list[0].kind != name {
		return c.unknown()
	}
	p, ok := c.body.kernel.parameters[from.list[0].name]
	if !ok || p.size < t.bytes() || from.value != 0 {
		c.fail("the parameter %s of %d bytes is not there", from.list[0].name, t.bytes())
	}
	d := c.register(to)
	return func(w *warp, mask uint32) {
		v := get(w.block.params[p.offset:], t.bytes())
		for ; mask != 0; mask &= mask - 1 {
			w.registers[d][bits.TrailingZeros32(mask)&31] = v
		}
	}
}
