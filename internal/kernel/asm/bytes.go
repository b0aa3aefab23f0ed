package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The tiles of wholeNumbers. A number of 16 bits is a high byte, with a sign, and a low one, without.
const (
	highHigh = iota // sums of products of bytes, of rows and of weights
	highLow
	lowHigh
	lowLow
	highRows
	lowRows
	highWeights
	lowWeights
)

// wholeNumbers multiplies rows of whole numbers by the weights of all points, as bytesProduct in
// ../quant/bytes.go does. A tile has up to 16 rows, of four blocks. The unit sums the products of
// bytes; meanwhile the vector unit adds up the sums of the tile before and scales them.
func wholeNumbers() {
	TEXT("amxBytes", NOSPLIT, "func(c *float32, a, b *int16, scale *float32, work, shapes *byte, points, groups, blocks, outs, chunks, aPoint, aBlock, cPoint, cBlock, cRow int)")
	Doc("amxBytes implements bytesProduct.", "See its plain Go twin.")
	Pragma("noescape")

	var (
		free   = reg.RAX
		count  = reg.RCX
		at     = reg.RDX
		from   = reg.RDI
		weight = reg.RBX // the next tile of weights
		rows   = reg.RSI // of the group, as bytes: low ones; high ones are half farther
		half   = reg.R15
		row    = reg.R8 // bytes between rows of bytes
		line   = reg.R9 // and between those of weights and sums: 64
		sums   = reg.R10
		done   = reg.R11 // where the sums in memory belong, 0 if there are none
		to     = reg.R12
		scale  = reg.R13
		outs   = reg.R14 // left
	)
	scaleDone := AllocLocal(8) // of the sums in memory
	first := AllocLocal(8)     // rows
	aNow, cNow, groupsLeft, blocksLeft := AllocLocal(8), AllocLocal(8), AllocLocal(8), AllocLocal(8)

	add := func(name string, to Mem) {
		MOVQ(argument(name), free)
		ADDQ(free, to)
	}
	copyTo := func(name string, to Mem) {
		MOVQ(argument(name), free)
		MOVQ(free, to)
	}
	// finish adds up the sums in memory, scales them and stores them where they belong.
	finish := func(label string) {
		MOVQ(scaleDone, free)
		VMOVUPS(Mem{Base: free}, reg.Z16)
		MOVQ(sums, from)
		MOVQ(argument("blocks"), count)
		Label(label + "block")
		MOVQ(done, at)
		for r, v := range vectors512[:4] {
			sum := func(tile int) Mem { return Mem{Base: from, Disp: tile*tileBytes + 64*r} }
			VPSLLD(Imm(8), sum(highHigh), v)
			VPADDD(sum(highLow), v, v)
			VPADDD(sum(lowHigh), v, v)
			VPSLLD(Imm(8), v, v)
			VPADDD(sum(lowLow), v, v)
			VCVTDQ2PS(v, v)
			VMULPS(reg.Z16, v, v)
			VMOVUPS(v, Mem{Base: at})
			if r < 3 {
				ADDQ(argument("cRow"), at)
			}
		}
		ADDQ(U32(4*64), from)
		ADDQ(argument("cBlock"), done)
		DECQ(count)
		JNZ(LabelRef(label + "block"))
	}

	MOVQ(argument("shapes"), free)
	tileConfigure(free)
	low := reg.Z31 // masks the low bytes
	VPTERNLOGD(U8(0xFF), low, low, low)
	VPSRLW(Imm(8), low, low)
	MOVQ(argument("work"), sums)
	LEAQ(Mem{Base: sums, Disp: sumsBytes}, free)
	MOVQ(free, first)
	MOVQ(argument("chunks"), row)
	SHLQ(Imm(6), row)
	MOVQ(row, half)
	SHLQ(Imm(4), half)
	MOVQ(U32(64), line)
	XORQ(done, done)

	Label("points")
	copyTo("a", aNow)
	copyTo("c", cNow)
	copyTo("groups", groupsLeft)

	Label("groups")
	// The rows of the group become bytes.
	copyTo("blocks", blocksLeft)
	MOVQ(aNow, from)
	MOVQ(first, rows)
	Label("split")
	MOVQ(from, at)
	MOVQ(argument("chunks"), count)
	SHLQ(Imm(2), count) // of four rows
	Label("chunk")
	left, right, lows, highs := reg.Z0, reg.Z1, reg.Z2, reg.Z3
	VMOVDQU32(Mem{Base: at}, left)
	VMOVDQU32(Mem{Base: at, Disp: 64}, right)
	VPSLLW(Imm(8), right, lows)
	VPSRLW(Imm(8), left, highs)
	VPTERNLOGD(U8(0xF8), low, left, lows)   // or left and low
	VPTERNLOGD(U8(0xF4), low, right, highs) // or right and not low
	VMOVDQU32(lows, Mem{Base: rows})
	VMOVDQU32(highs, Mem{Base: rows, Index: half, Scale: 1})
	ADDQ(U32(128), at)
	ADDQ(Imm(64), rows)
	DECQ(count)
	JNZ(LabelRef("chunk"))
	ADDQ(argument("aBlock"), from)
	DECQ(blocksLeft)
	JNZ(LabelRef("split"))
	MOVQ(from, aNow)

	MOVQ(argument("b"), weight)
	MOVQ(cNow, to)
	MOVQ(argument("scale"), scale)
	MOVQ(argument("outs"), outs)
	Label("outs")
	for tile := range byte(4) {
		tileZero(tile)
	}
	MOVQ(first, rows)
	LEAQ(Mem{Base: rows, Index: half, Scale: 1}, at)
	MOVQ(argument("chunks"), count)
	Label("multiply")
	tileLoad(highRows, at, row, 0)
	tileLoad(highWeights, weight, line, 0)
	tileBytesMultiply("TDPBSSD", prefixF2, highHigh, highRows, highWeights)
	tileLoad(lowWeights, weight, line, tileBytes)
	tileBytesMultiply("TDPBSUD", prefixF3, highLow, highRows, lowWeights)
	tileLoad(lowRows, rows, row, 0)
	tileBytesMultiply("TDPBUUD", prefixNone, lowLow, lowRows, lowWeights)
	tileBytesMultiply("TDPBUSD", prefix66, lowHigh, lowRows, highWeights)
	ADDQ(Imm(64), at)
	ADDQ(Imm(64), rows)
	ADDQ(U32(2*tileBytes), weight)
	DECQ(count)
	JNZ(LabelRef("multiply"))

	TESTQ(done, done)
	JZ(LabelRef("first"))
	finish("")
	Label("first")
	for tile := range byte(4) {
		tileStore(tile, sums, line, int(tile)*tileBytes)
	}
	MOVQ(to, done)
	MOVQ(scale, scaleDone)
	ADDQ(Imm(64), to)
	ADDQ(Imm(64), scale)
	DECQ(outs)
	JNZ(LabelRef("outs"))

	MOVQ(argument("blocks"), free) // to the next group
	IMULQ(argument("cBlock"), free)
	ADDQ(free, cNow)
	DECQ(groupsLeft)
	JNZ(LabelRef("groups"))

	add("aPoint", argument("a"))
	add("cPoint", argument("c"))
	MOVQ(weight, argument("b"))
	MOVQ(scale, argument("scale"))
	DECQ(argument("points"))
	JNZ(LabelRef("points"))

	tileRelease()
	finish("last")
	VZEROUPPER()
	RET()
}
