package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The routines of package bf16. Their plain Go twins in ../bf16/twin.go specify what they
// compute, and ../bf16/boards.go the layout of boards.

const (
	tileBytes = 1024          // of 16 rows
	sumsBytes = 4 * tileBytes // of four ranks by 16 channels
	padded    = 9             // columns of a rank in memory
	weights   = 7             // the tile of weights
	outWidth  = 16            // output channels of a tile
	outBytes  = 2 * outWidth  // of them in bf16
	biasBytes = 4 * outWidth  // and in fp32
)

var (
	vectors512 = []reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11}
	vectors256 = []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7}
)

// argument is the place of a parameter.
func argument(name string) Mem {
	at, err := Param(name).Resolve()
	if err != nil {
		panic(fmt.Errorf("the parameter %s: %w", name, err))
	}
	return at.Addr
}

// convolution is a 3x3 convolution of groups of one or two boards, with a residual or
// without. Four ranks by 16 channels are summed at a time, one tile a rank. While the tile
// unit sums, the vector unit finishes the four ranks before: it applies ReLU, rounds and
// stores the sums, a column after every tap.
func convolution(boards int, residual bool) {
	name := fmt.Sprintf("amxConv%d", boards)
	if residual {
		name += "Add"
	}
	TEXT(name, NOSPLIT, "func(y, x, weights *uint16, bias *float32, residual int, sums *float32, shapes *byte, groups, outs, steps, skip, xRow, yRow, again, biasRow, biasGroup int)")
	Doc(name+" implements convolve.", "See its plain Go twin.")
	Pragma("noescape")

	var (
		// Where the next tiles of the four ranks begin, and the next tile of weights.
		ranks = [4]reg.GPPhysical{reg.RSI, reg.RDX, reg.R13, reg.R15}
		at    = reg.RBX
		row   = reg.R8  // bytes between the rows of a tile of inputs
		even  = reg.R10 // and of weights and sums: 64
		tap   = reg.R14 // taps left in a rank
		free  = reg.RAX
		count = reg.RCX

		// What is to be finished: its sums, and where its next column belongs. No column
		// is left if out is 0.
		sums      = reg.R12
		out       = reg.R9
		rank      = reg.R11 // bytes between ranks of y
		threeRank = reg.RDI
	)
	xNow, yNow, biasNow := AllocLocal(8), AllocLocal(8), AllocLocal(8)
	againNow := AllocLocal(8) // where else the columns to be finished belong, from out; 0 for nowhere
	weightsNow, yFirst, groupsLeft, outsLeft := AllocLocal(8), AllocLocal(8), AllocLocal(8), AllocLocal(8)

	place := func(base reg.GPPhysical, t int) Mem {
		switch t {
		case 1:
			return Mem{Base: base, Index: rank, Scale: 1}
		case 2:
			return Mem{Base: base, Index: rank, Scale: 2}
		case 3:
			return Mem{Base: base, Index: threeRank, Scale: 1}
		}
		return Mem{Base: base}
	}
	finish := func(label string) {
		TESTQ(out, out)
		JZ(LabelRef(label + "finished"))
		res := count
		if residual {
			MOVQ(argument("residual"), res)
			ADDQ(out, res)
		}
		base := out
		for b := range boards {
			if b == 1 {
				base = free
				MOVQ(argument("yRow"), free)
				if residual {
					ADDQ(free, res)
				}
				ADDQ(out, free)
			}
			for t := range 4 {
				n := 4*b + t
				z, r, y := vectors512[n], vectors512[8+t], vectors256[n]
				sum := Mem{Base: sums, Disp: t*tileBytes + b*biasBytes}
				if residual {
					widen(place(res, t), r)
					VADDPS(sum, r, z)
				} else {
					VMOVUPS(sum, z)
				}
				VMAXPS(z, reg.Z31, z) // keeps NaN
				narrow(byte(n), byte(n))
				VMOVDQU(y, place(base, t))
			}
		}
		MOVQ(againNow, free)
		TESTQ(free, free)
		JZ(LabelRef(label + "once"))
		ADDQ(out, free)
		for b := range boards {
			if b == 1 {
				ADDQ(argument("yRow"), free)
			}
			for t := range 4 {
				VMOVDQU(vectors256[4*b+t], place(free, t))
			}
		}
		Label(label + "once")
		ADDQ(U32(uint32(boards*biasBytes)), sums)
		MOVQ(argument("yRow"), count)
		if boards == 2 {
			ADDQ(count, count)
		}
		ADDQ(count, out)
		// A tile of sums starts at a multiple of its size, and is finished at the next one.
		TESTQ(U32(uint32(boards*8*biasBytes-1)), sums)
		JNZ(LabelRef(label + "finished"))
		XORQ(out, out)
		Label(label + "finished")
	}

	MOVQ(argument("shapes"), free)
	tileConfigure(free)
	VPXORD(reg.Z31, reg.Z31, reg.Z31)
	MOVQ(argument("xRow"), row)
	MOVQ(argument("yRow"), free)
	IMUL3Q(U32(uint32(boards*padded)), free, rank)
	LEAQ(Mem{Base: rank, Index: rank, Scale: 2}, threeRank)
	XORQ(out, out)
	copyTo := func(name string, to Mem) {
		MOVQ(argument(name), free)
		MOVQ(free, to)
	}
	copyTo("outs", outsLeft)
	copyTo("weights", weightsNow)
	copyTo("y", yFirst)

	Label("outputs")
	copyTo("x", xNow)
	MOVQ(yFirst, free)
	MOVQ(free, yNow)
	copyTo("groups", groupsLeft)
	copyTo("bias", biasNow)

	Label("groups")
	for block := range 2 {
		part := fmt.Sprintf("half%d", block)
		// The sums begin with the bias.
		MOVQ(biasNow, free)
		MOVQ(argument("biasRow"), count)
		for t := range 4 {
			tileLoad(byte(t), free, count, 0)
		}
		MOVQ(U32(64), even)
		MOVQ(weightsNow, at)
		IMUL3Q(U32(uint32(boards*padded)), row, count)
		MOVQ(xNow, ranks[0])
		if block == 0 {
			SUBQ(count, ranks[0])
		} else {
			LEAQ(Mem{Base: count, Index: count, Scale: 2}, free)
			ADDQ(free, ranks[0])
		}
		for t := range 3 {
			LEAQ(Mem{Base: ranks[t], Index: count, Scale: 1}, ranks[t+1])
		}
		// The sums of the half before are those to finish.
		MOVQ(argument("sums"), sums)
		if block == 0 {
			ADDQ(U32(sumsBytes), sums)
		}
		for r := range 3 {
			first, last := 0, 3 // ranks that are on the board
			if block == 0 && r == 0 {
				first = 1
			}
			if block == 1 && r == 2 {
				last = 2
			}
			label := fmt.Sprintf("%srank%d", part, r)
			MOVQ(U32(3), tap)
			Label(label)
			MOVQ(argument("steps"), count)
			CMPQ(tap, Imm(2))
			JNE(LabelRef(label + "step"))
			SUBQ(argument("skip"), count)
			JZ(LabelRef(label + "skip"))
			Label(label + "step")
			tileLoad(weights, at, even, 0)
			for t := first; t <= last; t++ {
				tileLoad(byte(4+t%3), ranks[t], row, 0)
				tileMultiply(byte(t), byte(4+t%3), weights)
			}
			for _, p := range ranks {
				ADDQ(Imm(64), p)
			}
			ADDQ(U32(tileBytes), at)
			DECQ(count)
			JNZ(LabelRef(label + "step"))
			CMPQ(tap, Imm(2))
			JNE(LabelRef(label + "stepped"))
			Label(label + "skip")
			MOVQ(argument("skip"), free)
			SHLQ(Imm(6), free)
			for _, p := range ranks {
				ADDQ(free, p)
			}
			Label(label + "stepped")
			if boards == 2 {
				for _, p := range ranks { // past the other board
					ADDQ(row, p)
				}
			}
			finish(label)
			DECQ(tap)
			JNZ(LabelRef(label))
			if r < 2 { // to the next rank
				IMUL3Q(U32(uint32(boards*(padded-3))), row, free)
				for _, p := range ranks {
					ADDQ(free, p)
				}
			}
		}
		MOVQ(argument("sums"), sums)
		MOVQ(U32(64), even)
		for t := range 4 {
			tileStore(byte(t), sums, even, block*sumsBytes+t*tileBytes)
		}
		// File a is the second column.
		MOVQ(yNow, out)
		MOVQ(argument("yRow"), free)
		if block == 1 {
			LEAQ(Mem{Base: out, Index: rank, Scale: 4}, out)
		}
		LEAQ(Mem{Base: out, Index: free, Scale: uint8(boards)}, out)
		// The left channels are the last outputs.
		XORQ(free, free)
		CMPQ(outsLeft, Imm(1))
		JNE(LabelRef(part + "again"))
		MOVQ(argument("again"), free)
		Label(part + "again")
		MOVQ(free, againNow)
	}
	group := func(row string, now Mem) { // to the next group
		MOVQ(argument(row), free)
		IMUL3Q(U32(uint32(boards*(8*padded+1))), free, free)
		ADDQ(free, now)
	}
	group("xRow", xNow)
	group("yRow", yNow)
	MOVQ(argument("biasGroup"), free)
	ADDQ(free, biasNow)
	DECQ(groupsLeft)
	JNZ(LabelRef("groups"))

	ADDQ(U32(outBytes), yFirst)
	ADDQ(U32(biasBytes), argument("bias"))
	MOVQ(argument("steps"), free)
	IMUL3Q(U32(9*tileBytes), free, free)
	MOVQ(argument("skip"), count)
	IMUL3Q(U32(3*tileBytes), count, count)
	SUBQ(count, free)
	ADDQ(free, weightsNow)
	DECQ(outsLeft)
	JNZ(LabelRef("outputs"))

	tileRelease()
	MOVQ(argument("sums"), sums)
	ADDQ(U32(sumsBytes), sums)
	Label("drain")
	finish("drain")
	TESTQ(out, out)
	JNZ(LabelRef("drain"))
	VZEROUPPER()
	RET()
}
