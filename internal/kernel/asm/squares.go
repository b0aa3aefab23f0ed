package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// squares multiplies every square of groups of one or two boards by a matrix. Four ranks by
// 16 columns are summed at a time.
func squares(boards int) {
	name := fmt.Sprintf("amxSquares%d", boards)
	TEXT(name, NOSPLIT, "func(y *float32, x, weights *uint16, shapes *byte, groups, outs, steps, xRow, yRow int)")
	Doc(name+" implements multiply.", "See its plain Go twin.")
	Pragma("noescape")
	var (
		ranks         = [4]reg.GPPhysical{reg.RSI, reg.RDX, reg.R13, reg.R15}
		at, even, row = reg.RBX, reg.R10, reg.R8
		free, count   = reg.RAX, reg.RCX
		x, y, yRow    = reg.R9, reg.R11, reg.R12
		to, outsLeft  = reg.RDI, reg.R14
	)
	groupsLeft := AllocLocal(8)
	MOVQ(argument("shapes"), free)
	tileConfigure(free)
	MOVQ(argument("x"), x)
	MOVQ(argument("y"), y)
	MOVQ(argument("xRow"), row)
	MOVQ(argument("yRow"), yRow)
	MOVQ(U32(64), even)
	MOVQ(argument("groups"), free)
	MOVQ(free, groupsLeft)

	Label("groups")
	for half := range 2 {
		label := fmt.Sprintf("half%d", half)
		MOVQ(y, to)
		if half == 1 {
			IMUL3Q(U32(uint32(32*boards)), yRow, free)
			ADDQ(free, to)
		}
		MOVQ(argument("weights"), at)
		MOVQ(argument("outs"), outsLeft)
		Label(label)
		IMUL3Q(U32(uint32(boards*(1+4*half*padded))), row, ranks[0])
		ADDQ(x, ranks[0])
		IMUL3Q(U32(uint32(boards*padded)), row, free)
		for t := range 3 {
			LEAQ(Mem{Base: ranks[t], Index: free, Scale: 1}, ranks[t+1])
		}
		for t := range 4 {
			tileZero(byte(t))
		}
		MOVQ(argument("steps"), count)
		Label(label + "step")
		tileLoad(weights, at, even, 0)
		for t := range 4 {
			tileLoad(byte(4+t%3), ranks[t], row, 0)
			tileMultiply(byte(t), byte(4+t%3), weights)
		}
		for _, p := range ranks {
			ADDQ(Imm(64), p)
		}
		ADDQ(U32(tileBytes), at)
		DECQ(count)
		JNZ(LabelRef(label + "step"))
		IMUL3Q(U32(uint32(8*boards)), yRow, free)
		MOVQ(to, ranks[0])
		for t := range 4 {
			tileStore(byte(t), ranks[0], yRow, 0)
			if t < 3 {
				ADDQ(free, ranks[0])
			}
		}
		ADDQ(U32(4*outWidth), to)
		DECQ(outsLeft)
		JNZ(LabelRef(label))
	}
	IMUL3Q(U32(uint32(boards*(8*padded+1))), row, free)
	ADDQ(free, x)
	IMUL3Q(U32(uint32(64*boards)), yRow, free)
	ADDQ(free, y)
	DECQ(groupsLeft)
	JNZ(LabelRef("groups"))
	tileRelease()
	RET()
}

// poolBoard takes the means and maxima of a board, 16 channels at a time.
func poolBoard() {
	TEXT("amxPool", NOSPLIT, "func(mean, most *float32, x *uint16, vectors, square int)")
	Doc("amxPool implements pool.", "See its plain Go twin.")
	Pragma("noescape")
	mean, most, x := reg.RDI, reg.RSI, reg.RDX
	vectors, square, gap := reg.RCX, reg.R8, reg.R9
	at, rank := reg.RAX, reg.RBX
	MOVQ(argument("mean"), mean)
	MOVQ(argument("most"), most)
	MOVQ(argument("x"), x)
	MOVQ(argument("vectors"), vectors)
	MOVQ(argument("square"), square)
	MOVQ(U32(0x3c800000), gap) // 1/64
	VPBROADCASTD(gap.As32(), reg.Z3)
	Label("vector")
	VPXORD(reg.Z0, reg.Z0, reg.Z0)
	VPXORD(reg.Z1, reg.Z1, reg.Z1)
	MOVQ(x, at)
	MOVQ(U32(8), rank)
	Label("rank")
	for range 8 {
		widen(Mem{Base: at}, reg.Z2)
		VADDPS(reg.Z2, reg.Z0, reg.Z0)
		VMAXPS(reg.Z2, reg.Z1, reg.Z1)
		ADDQ(square, at)
	}
	ADDQ(square, at) // the column of zeros
	DECQ(rank)
	JNZ(LabelRef("rank"))
	VMULPS(reg.Z3, reg.Z0, reg.Z0)
	VMOVUPS(reg.Z0, Mem{Base: mean})
	VMOVUPS(reg.Z1, Mem{Base: most})
	ADDQ(Imm(64), mean)
	ADDQ(Imm(64), most)
	ADDQ(Imm(32), x)
	DECQ(vectors)
	JNZ(LabelRef("vector"))
	VZEROUPPER()
	RET()
}

// narrowBoard rounds a board, 16 channels at a time.
func narrowBoard() {
	TEXT("amxNarrow", NOSPLIT, "func(y *uint16, x *float32, channels, square int)")
	Doc("amxNarrow implements narrow.", "See its plain Go twin.")
	Pragma("noescape")
	y, x, square := reg.RDI, reg.RSI, reg.R8
	whole, rest, left := reg.RCX, reg.RDX, reg.RAX
	rank, file, at := reg.RBX, reg.R9, reg.R10
	MOVQ(argument("y"), y)
	MOVQ(argument("x"), x)
	MOVQ(argument("square"), square)
	MOVQ(argument("channels"), rest)
	// The mask of the channels that are left over: 2^rest - 1.
	MOVQ(rest, whole)
	SHRQ(Imm(4), whole)
	ANDQ(Imm(15), rest)
	MOVQ(U32(1), left)
	XCHGQ(whole, rest)
	SHLQ(reg.CL, left)
	XCHGQ(whole, rest)
	DECQ(left)
	KMOVW(left.As32(), reg.K1)
	MOVQ(U32(8), rank)
	Label("rank")
	MOVQ(U32(8), file)
	Label("file")
	MOVQ(y, at)
	MOVQ(whole, left)
	TESTQ(left, left)
	JZ(LabelRef("rest"))
	Label("vector")
	VMOVUPS(Mem{Base: x}, reg.Z0)
	narrow(0, 0)
	VMOVDQU(reg.Y0, Mem{Base: at})
	ADDQ(Imm(64), x)
	ADDQ(Imm(32), at)
	DECQ(left)
	JNZ(LabelRef("vector"))
	Label("rest")
	TESTQ(rest, rest)
	JZ(LabelRef("next"))
	VMOVUPS_Z(Mem{Base: x}, reg.K1, reg.Z0)
	narrow(0, 0)
	VMOVDQU(reg.Y0, Mem{Base: at})
	LEAQ(Mem{Base: x, Index: rest, Scale: 4}, x)
	Label("next")
	ADDQ(square, y)
	DECQ(file)
	JNZ(LabelRef("file"))
	ADDQ(square, y) // the column of zeros
	DECQ(rank)
	JNZ(LabelRef("rank"))
	VZEROUPPER()
	RET()
}

// doubleChannels copies the left channels of squares.
func doubleChannels() {
	TEXT("amxDouble", NOSPLIT, "func(y *uint16, n, every, distance int)")
	Doc("amxDouble implements double.", "See its plain Go twin.")
	Pragma("noescape")
	y, next, n, every := reg.RDI, reg.RSI, reg.RCX, reg.R8
	MOVQ(argument("y"), y)
	MOVQ(argument("n"), n)
	MOVQ(argument("every"), every)
	MOVQ(argument("distance"), next)
	ADDQ(y, next)
	SHRQ(Imm(1), n)
	Label("squares")
	VMOVDQU(Mem{Base: next}, reg.Y0)
	VMOVDQU(Mem{Base: next, Index: every, Scale: 1}, reg.Y1)
	VMOVDQU(reg.Y0, Mem{Base: y, Disp: outBytes})
	VMOVDQU(reg.Y1, Mem{Base: y, Index: every, Scale: 1, Disp: outBytes})
	LEAQ(Mem{Base: y, Index: every, Scale: 2}, y)
	LEAQ(Mem{Base: next, Index: every, Scale: 2}, next)
	DECQ(n)
	JNZ(LabelRef("squares"))
	VZEROUPPER()
	RET()
}

// extendedState reads which registers the operating system keeps. It must not be called
// without the feature OSXSAVE.
func extendedState() {
	TEXT("extendedState", NOSPLIT, "func() uint64")
	Doc("extendedState returns XCR0, the states of the processor that the operating system keeps.")
	XORL(reg.ECX, reg.ECX)
	XGETBV()
	SHLQ(Imm(32), reg.RDX)
	ORQ(reg.RDX, reg.RAX)
	at, err := ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	MOVQ(reg.RAX, at.Addr)
	RET()
}
