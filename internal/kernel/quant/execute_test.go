package quant

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// value is what an operand of 64 bits has.
func (m *machine) value(operand string) uint64 {
	if c, ok := strings.CutPrefix(operand, "$"); ok {
		v, err := strconv.ParseInt(c, 0, 64)
		if err != nil {
			refuse("%v", err)
		}
		return uint64(v)
	}
	if c := m.cell(operand, 8, false); c != nil {
		return binary.LittleEndian.Uint64(c)
	}
	return m.register(operand)
}

// set gives an operand of 64 bits a value.
func (m *machine) set(operand string, v uint64) {
	if c := m.cell(operand, 8, true); c != nil {
		binary.LittleEndian.PutUint64(c, v)
	} else {
		m.general[operand] = v
	}
}

// onGeneral executes an instruction on general registers.
func (m *machine) onGeneral(in instruction) {
	last := in.operand[len(in.operand)-1]
	var v uint64
	switch first := in.operand[0]; in.op {
	case "MOVQ":
		m.set(last, m.value(first))
		return
	case "LEAQ":
		base, index, _ := m.place(first)
		m.set(last, base+index)
		return
	case "IMULQ":
		m.set(last, m.value(last)*m.value(first))
		m.zero = nil
		return
	case "ADDQ":
		v = m.value(last) + m.value(first)
	case "DECQ":
		v = m.value(last) - 1
	case "SHLQ":
		v = m.value(last) << m.value(first)
	case "XORQ":
		if first != last {
			v = m.value(last) ^ m.value(first)
		}
	case "TESTQ":
		v = m.value(last) & m.value(first)
	default:
		refuse("%s is not known", in.op)
	}
	zero := v == 0
	m.zero = &zero
	if in.op != "TESTQ" {
		m.set(last, v)
	}
}

// vector is what a vector or its place in memory has.
func (m *machine) vector(operand string) []byte {
	if c := m.cell(operand, 64, false); c != nil {
		return c
	}
	v, ok := m.vectors[operand]
	if !ok {
		refuse("%s has no value", operand)
	}
	return v
}

// onVectors executes an instruction on vectors of 512 bits.
func (m *machine) onVectors(in instruction) {
	if in.op == "VZEROUPPER" {
		clear(m.vectors)
		return
	}
	n := len(in.operand) - 1
	last, y := in.operand[n], make([]byte, 64)
	switch in.op {
	case "VMOVUPS", "VMOVDQU32":
		copy(y, m.vector(in.operand[0]))
		if c := m.cell(last, 64, true); c != nil {
			copy(c, y)
			return
		}
	case "VPSLLW", "VPSRLW":
		by, x := m.value(in.operand[0]), m.vector(in.operand[1])
		for i := 0; i < 64; i += 2 {
			v := binary.LittleEndian.Uint16(x[i:])
			if in.op == "VPSLLW" {
				v <<= by
			} else {
				v >>= by
			}
			binary.LittleEndian.PutUint16(y[i:], v)
		}
	case "VPTERNLOGD":
		table := m.value(in.operand[0])
		if table == 0xFF {
			m.vectors[last] = y // its old value does not matter
		}
		c, b, a := m.vector(in.operand[1]), m.vector(in.operand[2]), m.vector(last)
		for i := range 512 {
			bit := func(x []byte) uint64 { return uint64(x[i/8] >> (i % 8) & 1) }
			y[i/8] |= byte(table>>(bit(a)<<2|bit(b)<<1|bit(c))&1) << (i % 8)
		}
	case "VPSLLD", "VPADDD", "VCVTDQ2PS", "VMULPS":
		m.words(in, y)
	default:
		refuse("%s is not known", in.op)
	}
	m.vectors[last] = y
}

// words executes an instruction on vectors of 16 numbers.
func (m *machine) words(in instruction, y []byte) {
	for i := range 16 {
		x := func(operand int) uint32 { return binary.LittleEndian.Uint32(m.vector(in.operand[operand])[4*i:]) }
		var v uint32
		switch in.op {
		case "VPSLLD":
			v = x(1) << m.value(in.operand[0])
		case "VPADDD":
			v = x(0) + x(1)
		case "VCVTDQ2PS":
			v = math.Float32bits(float32(int32(x(0))))
		case "VMULPS":
			v = math.Float32bits(math.Float32frombits(x(0)) * math.Float32frombits(x(1)))
		}
		binary.LittleEndian.PutUint32(y[4*i:], v)
	}
}

// onTiles executes an instruction of the tile unit.
func (m *machine) onTiles(in instruction) {
	t := in.tile[0]
	switch in.op {
	case "LDTILECFG":
		m.configure(m.cell(in.operand[0], 64, false))
	case "TILERELEASE":
		m.tiles = [8][]byte{}
	case "TILEZERO":
		m.shaped(t)
		m.tiles[t] = make([]byte, 16*64)
	case "TILELOADD", "TILESTORED":
		m.shaped(t)
		base, stride, _ := m.place(in.operand[0])
		for r := range m.rows[t] {
			row := m.tiles[t][64*r:][:m.columns[t]]
			if in.op == "TILELOADD" {
				copy(row, m.at(base+uint64(r)*stride, len(row), false))
			} else {
				copy(m.at(base+uint64(r)*stride, len(row), true), row)
			}
		}
	default:
		m.multiplyTiles(in)
	}
}

func (m *machine) shaped(tiles ...int) {
	for _, t := range tiles {
		if m.tiles[t] == nil {
			refuse("tile %d has no shape", t)
		}
	}
}

// configure gives tiles their shapes, and clears them.
func (m *machine) configure(c []byte) {
	if c[0] != 1 || c[1] != 0 {
		refuse("palette %d, row %d to start from", c[0], c[1])
	}
	for i := range m.tiles {
		m.columns[i], m.rows[i] = int(binary.LittleEndian.Uint16(c[16+2*i:])), int(c[48+i])
		if m.columns[i] < 1 || m.columns[i] > 64 || m.rows[i] < 1 || m.rows[i] > 16 {
			refuse("tile %d has %d rows of %d bytes", i, m.rows[i], m.columns[i])
		}
		m.tiles[i] = make([]byte, 16*64)
	}
}

// multiplyTiles adds products of rows of bytes and fours of rows to a tile of sums.
func (m *machine) multiplyTiles(in instruction) {
	sum, a, b := in.tile[0], in.tile[1], in.tile[2]
	m.shaped(sum, a, b)
	if sum == a || a == b || b == sum || m.rows[sum] != m.rows[a] || m.columns[sum] != m.columns[b] || m.columns[a] != 4*m.rows[b] {
		refuse("%s of tiles that do not fit", in.op)
	}
	with := func(sign byte, x byte) int32 {
		if sign == 'S' {
			return int32(int8(x))
		}
		return int32(x)
	}
	for r := range m.rows[sum] {
		for j := range m.columns[sum] / 4 {
			at := m.tiles[sum][64*r+4*j:]
			v := int32(binary.LittleEndian.Uint32(at))
			for k := range m.columns[a] {
				v += with(in.op[4], m.tiles[a][64*r+k]) * with(in.op[5], m.tiles[b][64*(k/4)+4*j+k%4])
			}
			binary.LittleEndian.PutUint32(at, uint32(v))
		}
	}
}
