package main

// wholeSpread is like spread, but has the results 3 and 4 twice as large, because what they are divided by
// is half of that of the others. All numbers are exact, so their order makes no difference. The constants
// 0 and 2 are 4 and 3. All squares can be too large by the same number: wholeSpread calls exact for those that it
// does not only subtract from each other, and exact corrects them.
func (f *file) wholeSpread(x [8]pair, constants vec, exact func(squares ...pair), store func(tile, i int, v pair)) {
	for _, tile := range []int{1, 0} {
		d1, d2, d3, d4 := x[4*tile], x[4*tile+1], x[4*tile+2], x[4*tile+3]
		c, e, y3, y4 := f.pair(), f.pair(), f.pair(), f.pair()
		f.each("fsub", e, d1, d3)
		y5 := x[4]
		if tile == 1 {
			f.each("fsub", c, d4, d2)
			exact(x[3], d2, d3)
			y5 = d4
		} else {
			f.each("fsub", y5, x[4], d3)
			exact(d2, d3)
			f.each("fsub", c, d4, d2)
		}
		f.each("fadd", y4, c, c)
		f.eachLane("fmul", e, e, constants, 0)
		f.each("fsub", y3, y4, e)
		f.each("fadd", y4, y4, e)
		if tile == 1 {
			f.each("fsub", y5, e, d3)
		} else {
			f.each("fadd", y5, y5, e)
		}
		f.eachLane("fmls", c, d2, constants, 2) // d4 - 4 d2
		f.eachLane("fmla", e, d3, constants, 2) // 4 d1 - d3
		y0, y1, y2 := d2, d3, e
		f.each("fsub", y0, c, d2)
		if tile == 1 {
			f.eachLane("fmla", y0, x[3], constants, 0)
		}
		f.each("fsub", y1, c, e)
		f.each("fadd", y2, c, e)
		for i, v := range []pair{y0, y1, y2, y3, y4, y5} {
			store(tile, i, v)
		}
		f.freePairs(c, e, y3, y4)
	}
}

// raiseStep loads eight whole numbers from 0 to 32767, and moves the pointer. The lanes of high are the high half
// of a power of two in fp32, the base. Put before a number, they make the base plus the number, times what the
// last bit of the base stands for. For NEON this takes fewer instructions than a conversion.
func (f *file) raiseStep(p pair, high vec, at, step general) {
	f.line("VLD1.P (%v)(%v), [V%d.H8]", at, step, p)
	f.three("zip2.8h", vec(p+1), vec(p), high)
	f.three("zip1.8h", vec(p), vec(p), high)
}

// The high halves of bases in fp32: 2^18, whose last bit is 1/32, and 2^23, whose last bit is 1.
const (
	base18 = 0x4880
	base23 = 0x4b00
)
