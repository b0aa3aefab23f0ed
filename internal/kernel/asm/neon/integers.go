package main

// integers generates the routines of package quant, which compute in whole numbers of 16 bits. Their
// plain Go twins specify what each computes, to the bit.
func (f *file) integers() {
	f.intProduct()
	f.intBytes()
	f.input(short)
	f.output(short, false)
	f.output(short, true)
	f.intPool()
	f.intNarrow()
}

// intProduct multiplies blocks of 4 rows by a panel of 16 columns, [k][16]. The 64 sums of a block
// stay in registers. An instruction multiplies four weights by one input: a processor with four
// such units adds 16 products in a cycle, as many as in fp32.
func (f *file) intProduct() {
	f.text("Product", "c []float32, a, b []int16, scale []float32, k, blocks, aBlock, cBlock, cRow int", "implements product for a panel of 16 columns.")
	const rows, atOnce = 4, 8 // inputs of a row that are read at once
	a, c, b, scale := f.pointer("a"), f.pointer("c"), f.pointer("b"), f.pointer("scale")
	blocks, k, row := f.integer("blocks"), f.integer("k"), f.stride("k", 1)
	aBlock, cBlock, cRow := f.stride("aBlock", 1), f.stride("cBlock", 2), f.stride("cRow", 2)
	f.line("LSR $3, %v", k)
	left := f.some(rows) // whose numbers must be below 16
	steps, right := f.pairs(2), f.pairs(2)
	f.loadTwoNext(steps[0], steps[1], scale)
	var sums [rows][]pair
	for r := range sums {
		sums[r] = f.pairs(2)
	}
	at := [rows]general{f.new(), f.new(), f.new(), f.new()}
	bp, to, turns := f.new(), f.new(), f.new()
	f.line("CBZ %v, done", blocks)
	f.loop(blocks, func() {
		f.line("MOVD %v, %v", a, at[0])
		for r := range rows - 1 {
			f.line("ADD %v, %v, %v", row, at[r], at[r+1])
		}
		f.line("MOVD %v, %v", b, bp)
		f.line("MOVD %v, %v", k, turns)
		for _, row := range sums {
			for v := vec(row[0]); v < vec(row[0])+4; v++ {
				f.zero(v)
			}
		}
		f.loop(turns, func() {
			for r, p := range at {
				f.loadNext(left[r], p)
			}
			for i := range 2 * atOnce { // eight weights
				if i%4 == 0 {
					f.loadTwoNext(right[0], right[1], bp)
				}
				v := vec(right[i/2%2]) + vec(i%2)
				for r, row := range sums {
					f.byLane("smlal", vec(row[i%2]), v, left[r], i/2)
				}
				for r, row := range sums {
					f.byLane("smlal2", vec(row[i%2])+1, v, left[r], i/2)
				}
			}
		})
		f.line("MOVD %v, %v", c, to)
		for _, row := range sums {
			for j, p := range row {
				f.eachOf("scvtf", p, p)
				f.each("fmul", p, p, steps[j])
				f.storePair(p, to, 32*j)
			}
			f.line("ADD %v, %v", cRow, to)
		}
		f.line("ADD %v, %v", aBlock, a)
		f.line("ADD %v, %v", cBlock, c)
	})
	f.label("done")
	f.end()
}

// intPool takes the means and maxima of a board, 8 channels at a time.
func (f *file) intPool() {
	f.text("Pool", "mean, most, x []int16, channels int", "implements pool.")
	mean, most, x := f.pointer("mean"), f.pointer("most"), f.pointer("x")
	groups, row := f.integer("channels"), f.stride("channels", 1)
	f.line("LSR $3, %v", groups)
	low, high, peak, at := f.vector(), f.vector(), f.vector(), f.new()
	squares := f.some(4)
	f.loop(groups, func() {
		f.line("MOVD %v, %v", x, at)
		for _, v := range []vec{low, high, peak} {
			f.zero(v)
		}
		f.times(64/len(squares), func() {
			for _, v := range squares {
				f.loadStep(v, at, row)
				f.three("saddw", low, low, v)
				f.three("saddw2", high, high, v)
				f.three("smax", peak, peak, v)
			}
		})
		f.two("rshrn", low, low) // divides by 64 and rounds
		f.two("rshrn2", low, high)
		f.storeNext(low, mean)
		f.storeNext(peak, most)
		f.line("ADD $16, %v", x)
	})
	f.end()
}

// intNarrow rounds rows, 8 numbers at a time. Rounding limits them to 16 bits, so that only negative
// ones are left.
func (f *file) intNarrow() {
	f.text("Narrow", "y []int16, x, bias, scale []float32, rows int", "implements narrow.")
	y, x, bias, scale, rows := f.pointer("y"), f.pointer("x"), f.pointer("bias"), f.pointer("scale"), f.integer("rows")
	groups, from, at, turns := f.length("scale"), f.new(), f.new(), f.new()
	f.line("LSR $3, %v", groups)
	zero, v, add, s := f.vector(), f.pair(), f.pair(), f.pair()
	f.zero(zero)
	f.loop(rows, func() {
		f.line("MOVD %v, %v", bias, from)
		f.line("MOVD %v, %v", scale, at)
		f.line("MOVD %v, %v", groups, turns)
		f.loop(turns, func() {
			f.loadPairNext(v, x)
			f.loadPairNext(add, from)
			f.loadPairNext(s, at)
			f.each("fadd", v, v, add)
			f.each("fmul", v, v, s)
			f.narrow(v)
			f.three("smax", vec(v), vec(v), zero)
			f.storeNext(vec(v), y)
		})
	})
	f.end()
}
