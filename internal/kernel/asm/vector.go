package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// set is an instruction set. Vector registers are allocated by hand, because avo would use the
// upper sixteen, which AVX2 does not have.
type set struct {
	name   string
	bytes  int // bytes of a vector
	widest int // vectors in the widest panel of a product
	v      []reg.VecPhysical

	constants map[float32]Mem
}

var sets = map[string]*set{
	"avx2": {name: "avx2", bytes: 32, widest: 3, v: []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}},
	"avx512": {name: "avx512", bytes: 64, widest: 4, v: []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31}},
}

func (s *set) text(name, signature, doc string) {
	TEXT(s.name+name, NOSPLIT, signature)
	Doc(s.name+name+" "+doc, "See its plain Go twin.")
	Pragma("noescape")
}

func (s *set) zero(v reg.VecPhysical) {
	if s.bytes == 64 {
		VPXORD(v, v, v) // a 512-bit VXORPS would need AVX512DQ
	} else {
		VXORPS(v, v, v)
	}
}

// fill sets every number of v to f.
func (s *set) fill(v reg.VecPhysical, f float32) {
	m, ok := s.constants[f]
	if !ok {
		m = ConstData(fmt.Sprintf("%sConstant%d", s.name, len(s.constants)), U32(math.Float32bits(f)))
		s.constants[f] = m
	}
	VBROADCASTSS(m, v)
}

// Parameters are loaded again wherever they are needed, so that they occupy no register in
// between.

// pointer loads the base of a slice parameter.
func pointer(name string) reg.GPVirtual { return Load(Param(name).Base(), GP64()).(reg.GPVirtual) }

func integer(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// stride loads a parameter that is a number of elements, and converts it to bytes.
func stride(name string) reg.GPVirtual {
	g := integer(name)
	SHLQ(Imm(2), g)
	return g
}

// times returns n*g, without a multiplication if n is 3 or 6.
func times(n int, g reg.GPVirtual) reg.GPVirtual {
	r := GP64()
	switch n {
	case 3:
		LEAQ(Mem{Base: g, Index: g, Scale: 2}, r)
	case 6:
		LEAQ(Mem{Base: g, Index: g, Scale: 2}, r)
		SHLQ(Imm(1), r)
	default:
		IMUL3Q(I32(n), g, r)
	}
	return r
}

// lines addresses up to 8 vectors that are stride bytes apart. It has base registers for the first,
// the fourth and, if there are more than six, the seventh vector.
type lines struct {
	stride reg.GPVirtual
	base   []reg.GPVirtual
}

func newLines(at, stride reg.GPVirtual, n int) *lines {
	l := &lines{stride: stride}
	three := times(3, stride)
	p := at
	for i := 0; i < n; i += 3 {
		q := GP64()
		if i == 0 {
			MOVQ(p, q)
		} else {
			LEAQ(Mem{Base: p, Index: three, Scale: 1}, q)
		}
		l.base = append(l.base, q)
		p = q
	}
	return l
}

func (l *lines) at(i int) Mem {
	m := Mem{Base: l.base[i/3]}
	if i%3 > 0 {
		m.Index, m.Scale = l.stride, uint8(i%3)
	}
	return m
}

func (l *lines) advance(by Op) {
	for _, b := range l.base {
		ADDQ(by, b)
	}
}

// loop emits a loop of n iterations. N must be greater than zero and is counted down.
func loop(label string, n reg.GPVirtual, body func()) {
	Label(label)
	body()
	DECQ(n)
	JNZ(LabelRef(label))
}

// count returns a register with the value n.
func count(n int) reg.GPVirtual {
	g := GP64()
	MOVQ(U32(uint32(n)), g)
	return g
}

// tiles emits a loop over the four tiles of a board. In each iteration, mp is the address of the tile
// in the transformed tensor, and yp its address on the board.
func tiles(square, mp, yp reg.GPVirtual, body func()) {
	turn := count(4)
	loop("tile", turn, func() {
		body()
		ADDQ(square, mp)
		LEAQ(Mem{Base: yp, Index: square, Scale: 4}, yp)
		CMPQ(turn, Imm(3)) // between the second and the third tile, skip three ranks
		JNE(LabelRef("beside"))
		for range 3 {
			LEAQ(Mem{Base: yp, Index: square, Scale: 8}, yp)
		}
		Label("beside")
	})
}

// vectors converts a number of channels to the number of vectors that contain them.
func (s *set) vectors(channels reg.GPVirtual) {
	shift := map[int]uint64{32: 3, 64: 4}[s.bytes]
	SHRQ(Imm(shift), channels)
}

func (s *set) end() {
	VZEROUPPER()
	RET()
}
