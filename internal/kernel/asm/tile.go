package main

import (
	"encoding/binary"
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Neither avo nor Go's assembler knows the instructions of the tile unit and of
// AVX512-BF16, so they are written as their bytes. The bytes name registers, so code
// that uses them allocates its registers by hand.
//
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2.

// encoded emits an instruction as its bytes, after a comment that says what it is.
func encoded(comment string, code ...byte) {
	Comment(comment)
	put := func(opcode string, v Op) {
		Instruction(&ir.Instruction{Opcode: opcode, Operands: []Op{v}})
	}
	for ; len(code) >= 4; code = code[4:] {
		put("LONG", U32(binary.LittleEndian.Uint32(code)))
	}
	for _, b := range code {
		put("BYTE", U8(b))
	}
}

// number returns the processor's number of a general register.
func number(r reg.GPPhysical) byte {
	for i, candidate := range []reg.GPPhysical{
		reg.RAX, reg.RCX, reg.RDX, reg.RBX, reg.RSP, reg.RBP, reg.RSI, reg.RDI,
		reg.R8, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13, reg.R14, reg.R15} {
		if r == candidate {
			return byte(i)
		}
	}
	panic("not a 64-bit general register")
}

// Mandatory prefixes, as VEX and EVEX encode them.
const (
	prefixNone = iota
	prefix66
	prefixF3
	prefixF2
)

// vex returns the VEX prefix of a 128-bit instruction of the map 0F38.
func vex(index, base, second, prefix byte) []byte {
	return []byte{0xC4, 1<<7 | (1-index>>3)<<6 | (1-base>>3)<<5 | 2, (15-second)<<3 | prefix}
}

// tileMemory emits a load or store of a tile, whose rows are stride bytes apart, starting
// at base + disp.
func tileMemory(name string, prefix, tile byte, base, stride reg.GPPhysical, disp int) {
	b, i := number(base), number(stride)
	code := append(vex(i, b, 0, prefix), 0x4B, 0x84|tile<<3, i&7<<3|b&7)
	code = binary.LittleEndian.AppendUint32(code, uint32(int32(disp)))
	encoded(fmt.Sprintf("%s TMM%d, %d(%s)(%s*1)", name, tile, disp, base.Asm(), stride.Asm()), code...)
}

func tileLoad(tile byte, base, stride reg.GPPhysical, disp int) {
	tileMemory("TILELOADD", prefixF2, tile, base, stride, disp)
}

func tileStore(tile byte, base, stride reg.GPPhysical, disp int) {
	tileMemory("TILESTORED", prefixF3, tile, base, stride, disp)
}

// tileMultiply adds to a tile of sums the product of a tile of bf16 rows and one of pairs of
// rows.
func tileMultiply(sums, rows, pairs byte) {
	encoded(fmt.Sprintf("TDPBF16PS TMM%d += TMM%d * TMM%d", sums, rows, pairs),
		append(vex(0, 0, pairs, prefixF3), 0x5C, 0xC0|sums<<3|rows)...)
}

// tileBytesMultiply is like tileMultiply for whole numbers: rows of bytes and fours of rows. The
// instruction's name says which have signs.
func tileBytesMultiply(name string, prefix, sums, rows, fours byte) {
	encoded(fmt.Sprintf("%s TMM%d += TMM%d * TMM%d", name, sums, rows, fours),
		append(vex(0, 0, fours, prefix), 0x5E, 0xC0|sums<<3|rows)...)
}

// tileConfigure takes the shapes of the tiles from the 64 bytes at base.
func tileConfigure(base reg.GPPhysical) {
	b := number(base)
	encoded("LDTILECFG ("+base.Asm()+")", append(vex(0, b, 0, prefixNone), 0x49, b&7)...)
}

func tileRelease() { encoded("TILERELEASE", append(vex(0, 0, 0, prefixNone), 0x49, 0xC0)...) }

// narrow sets the vector register y of 256 bits to the numbers of z, rounded to bf16. Both
// registers are from 0 to 7.
func narrow(z, y byte) {
	encoded(fmt.Sprintf("VCVTNEPS2BF16 Z%d, Y%d", z, y), 0x62, 0xF2, 0x7E, 0x48, 0x72, 0xC0|y<<3|z)
}

// widen sets z to the 16 bf16 numbers at m.
func widen(m Mem, z reg.VecPhysical) {
	VPMOVZXWD(m, z)
	VPSLLD(Imm(16), z, z)
}

func tileZero(tile byte) {
	encoded(fmt.Sprintf("TILEZERO TMM%d", tile), append(vex(0, 0, 0, prefixF2), 0x49, 0xC0|tile<<3)...)
}
