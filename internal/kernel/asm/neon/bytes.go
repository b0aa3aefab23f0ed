package main

// intBytes multiplies blocks of 4 rows by columns as sums of products of bytes, with the instructions
// of FEAT_I8MM: one adds the products of two rows and two columns, each of eight bytes, to four sums. A
// number of 16 bits is a high byte, with a sign, and a low one, without, so there are four kinds of products.
// Each has its own sums.
func (f *file) intBytes() {
	f.text("Bytes", "c []float32, a, b []int16, scale []float32, work []byte, k, blocks, aBlock, cBlock, cRow int", "implements the products at a point for columns in fours, packed by packPairs.")
	a, c, b, scale, work := f.pointer("a"), f.pointer("c"), f.pointer("b"), f.pointer("scale"), f.pointer("work")
	columns, k, row, blocks := f.length("scale"), f.integer("k"), f.stride("k", 1), f.integer("blocks")
	aBlock, cBlock, cRow := f.stride("aBlock", 1), f.stride("cBlock", 2), f.stride("cRow", 2)
	f.line("LSR $2, %v", columns)
	f.line("LSR $3, %v", k)
	bytes, left, turns := f.new(), f.new(), f.new()
	f.splitRows(a, bytes, left, turns, work, k, row, blocks, aBlock)

	steps := f.vector()
	rows, weights := f.pairs(2), f.pairs(2) // the high bytes and the low ones
	var sums [2][2][4]vec                   // of pairs of rows and of columns: high and high, low and high, high and low, low and low
	for i := range sums {
		for j := range sums[i] {
			sums[i][j] = [4]vec(f.some(4))
		}
	}
	bp, to, out := f.new(), f.new(), f.new()
	f.loop(columns, func() {
		f.loadNext(steps, scale)
		f.line("MOVD %v, %v", work, bytes)
		f.line("MOVD %v, %v", c, to)
		f.line("MOVD %v, %v", blocks, left)
		f.loop(left, func() {
			f.line("MOVD %v, %v", b, bp)
			f.line("MOVD %v, %v", k, turns)
			for _, pair := range sums {
				for _, s := range append(pair[0][:], pair[1][:]...) {
					f.zero(s)
				}
			}
			f.loop(turns, func() {
				f.loadPairNext(rows[0], bytes)
				f.loadPairNext(weights[0], bp)
				f.loadPairNext(rows[1], bytes)
				f.loadPairNext(weights[1], bp)
				for i, x := range rows {
					for j, w := range weights {
						s := sums[i][j]
						f.three("smmla", s[0], vec(x), vec(w))
						f.three("usmmla", s[1], vec(x+1), vec(w))
						f.three("usmmla", s[2], vec(w+1), vec(x)) // the first must be without signs: transposed
						f.three("ummla", s[3], vec(x+1), vec(w+1))
					}
				}
			})
			f.line("MOVD %v, %v", to, out)
			for _, pair := range sums {
				f.finishBytes(pair, steps, rows[0], rows[1], out, cRow)
			}
			f.line("ADD %v, %v", cBlock, to)
		})
		f.line("MOVD %v, %v", bp, b)
		f.line("ADD $16, %v", c)
	})
	f.end()
}

// splitRows writes the bytes of all rows: for each block and eight inputs the high bytes of the first
// two rows, their low bytes, and those of the other two.
func (f *file) splitRows(a, bytes, left, turns, work, k, row, blocks, aBlock general) {
	x, split := f.some(4), f.pairs(2)
	at := [4]general{f.new(), f.new(), f.new(), f.new()}
	f.line("MOVD %v, %v", work, bytes)
	f.line("MOVD %v, %v", blocks, left)
	f.loop(left, func() {
		f.line("MOVD %v, %v", a, at[0])
		for r := range at[1:] {
			f.line("ADD %v, %v, %v", row, at[r], at[r+1])
		}
		f.line("MOVD %v, %v", k, turns)
		f.loop(turns, func() {
			for r, v := range x {
				f.loadNext(v, at[r])
			}
			for i, p := range split {
				f.three("uzp2", vec(p), x[2*i], x[2*i+1])
				f.three("uzp1", vec(p+1), x[2*i], x[2*i+1])
				f.storePairNext(p, bytes)
			}
		})
		f.line("ADD %v, %v", aBlock, a)
	})
	f.free(x...)
	f.freePairs(split...)
	f.release(at[:]...)
}

// finishBytes adds up the sums of two rows and four columns, scales them and stores the rows.
func (f *file) finishBytes(sums [2][4]vec, steps vec, t, u pair, out, cRow general) {
	left, right := sums[0], sums[1]
	both := func(first, second string, d pair, kind int) {
		f.three(first, vec(d), left[kind], right[kind])
		f.three(second, vec(d+1), left[kind], right[kind])
	}
	for _, s := range sums {
		f.two("shl", s[0], s[0])
		f.three("add", s[0], s[0], s[1])
	}
	both("zip1.2d", "zip2.2d", t, 0)
	both("uzp1.4s", "uzp2.4s", u, 2)
	f.each("add", t, t, u)
	f.eachOf("shl", t, t)
	both("zip1.2d", "zip2.2d", u, 3)
	f.each("add", t, t, u)
	f.eachOf("scvtf", t, t)
	for v := vec(t); v < vec(t)+2; v++ {
		f.three("fmul", v, v, steps)
		f.line("VST1.P [V%d.S4], (%v)(%v)", v, out, cRow)
	}
}
