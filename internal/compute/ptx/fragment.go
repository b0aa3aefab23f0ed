package ptx

import (
	"encoding/binary"
	"math"
	"slices"
)

// mma compiles mma.sync.m16n8k16 of fp16 or bf16 with sums in fp32: d[16][8] = a[16][16] b[8][16] + c,
// within a warp.
func (c *compiler) mma() func(*warp, uint32) {
	c.only("sync", "aligned", "m16n8k16", "row", "col")
	c.out.together = true
	name := c.parts[max(0, len(c.parts)-2)]
	t, _ := typeOf(name)
	want := []string{"mma", "sync", "aligned", "m16n8k16", "row", "col", "f32", name, name, "f32"}
	if t != f16 && t != bf16 || !slices.Equal(c.parts, want) || !c.need(4) {
		return c.unknown()
	}
	fragments := make([][]source, 3)
	for i, n := range []int{4, 2, 4} {
		if len(c.operands[i+1].list) != n {
			return c.unknown()
		}
		for _, o := range c.operands[i+1].list {
			fragments[i] = append(fragments[i], c.source(o, b32))
		}
	}
	if len(c.operands[0].list) != 4 {
		return c.unknown()
	}
	var d []int
	for _, o := range c.operands[0].list {
		d = append(d, c.register(o))
	}
	return func(w *warp, _ uint32) {
		a, b := left(w, fragments[0], t), right(w, fragments[1], t)
		var results [4]lanes
		var sums []*lanes
		for j, s := range fragments[2] {
			results[j] = *s.of(w)
			sums = append(sums, &results[j])
		}
		addFloats(sums, a[:], b[:])
		for j, r := range d {
			w.registers[r] = results[j]
		}
	}
}

// left returns the 16 rows of the left operand. A thread has two neighbouring numbers of row lane/4 in
// each register: of that row, of the row 8 below, and the same 8 columns further.
func left(w *warp, fragment []source, t typ) (rows [16 * 16]float32) {
	for j, s := range fragment {
		for lane, v := range s.of(w) {
			row, column := lane/4+8*(j&1), 8*(j>>1)+lane%4*2
			rows[16*row+column], rows[16*row+column+1] = two(v, t)
		}
	}
	return rows
}

// right returns the 8 columns of the right operand, each as 16 numbers.
func right(w *warp, fragment []source, t typ) (columns [8 * 16]float32) {
	for j, s := range fragment {
		for lane, v := range s.of(w) {
			at := 16*(lane/4) + 8*j + lane%4*2
			columns[at], columns[at+1] = two(v, t)
		}
	}
	return columns
}

func two(v uint64, t typ) (low, high float32) {
	return float32(t.value(v & 0xffff)), float32(t.value(v >> 16 & 0xffff))
}

// matrix compiles ldmatrix and stmatrix of 8 x 8 numbers of 16 bits. Lanes 8i to 8i+7 have the
// addresses of the rows of matrix i. A lane has two neighbouring numbers of row lane/4, or with .trans
// of column lane/4.
func (c *compiler) matrix() func(*warp, uint32) {
	c.only("sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "shared::cta")
	c.out.together = true
	n := map[bool]int{c.has("x1"): 1, c.has("x2"): 2, c.has("x4"): 4}[true]
	if !c.need(2) || !c.has("m8n8") {
		return c.unknown()
	}
	isLoad, across := c.parts[0] == "ldmatrix", c.has("trans")
	data, at := c.operands[0], c.operands[1]
	if !isLoad {
		data, at = at, data
	}
	base, offset := c.address(at)
	if len(data.list) != n {
		return c.unknown()
	}
	if isLoad {
		var registers []int
		for _, o := range data.list {
			registers = append(registers, c.register(o))
		}
		return func(w *warp, _ uint32) { w.loadMatrices(base.of(w), offset, registers, across) }
	}
	var sources []source
	for _, o := range data.list {
		sources = append(sources, c.source(o, b32))
	}
	return func(w *warp, _ uint32) { w.storeMatrices(base.of(w), offset, sources, across) }
}

// place returns where element e (0 or 1) of a lane is: the row in memory and the number in the row.
func place(lane, e int, across bool) (row, column int) {
	row, column = lane/4, lane%4*2+e
	if across {
		return column, row
	}
	return row, column
}

func (w *warp) loadMatrices(addresses *lanes, offset uint64, registers []int, across bool) {
	var rows [4][8][]byte
	for lane := range 8 * len(registers) {
		o := w.thread(lane)
		bytes, err := w.block.shared.load(&o, addresses[lane]+offset, 16, 16)
		if err != nil {
			w.fault(lane, err)
			return
		}
		rows[lane/8][lane%8] = bytes
	}
	for i, r := range registers {
		for lane := range 32 {
			var v uint64
			for e := range 2 {
				row, column := place(lane, e, across)
				v |= get(rows[i][row][2*column:], 2) << (16 * e)
			}
			w.registers[r][lane] = v
		}
	}
}

func (w *warp) storeMatrices(addresses *lanes, offset uint64, sources []source, across bool) {
	for i, s := range sources {
		var rows [8][16]byte
		for lane, v := range s.of(w) {
			for e := range 2 {
				row, column := place(lane, e, across)
				binary.LittleEndian.PutUint16(rows[row][2*column:], uint16(v>>(16*e)))
			}
		}
		for row := range rows {
			lane := 8*i + row
			o := w.thread(lane)
			bytes, err := w.block.shared.store(&o, addresses[lane]+offset, 16, 16, w.line())
			if err != nil {
				w.fault(lane, err)
				return
			}
			copy(bytes, rows[row][:])
		}
	}
}

// shuffle compiles shfl.sync.bfly by all threads of a warp.
func (c *compiler) shuffle() func(*warp, uint32) {
	c.only("sync", "bfly")
	c.out.together = true
	if !c.need(5) || len(c.parts) != 4 || c.operands[3].value != 31 || uint32(c.operands[4].value) != math.MaxUint32 {
		return c.unknown()
	}
	d, a, b := c.register(c.operands[0]), c.source(c.operands[1], b32), c.source(c.operands[2], b32)
	return func(w *warp, _ uint32) {
		values := *a.of(w)
		for lane, by := range b.of(w) {
			w.registers[d][lane] = values[lane^int(by&31)]
		}
	}
}
