package main

// everything generates the routines of package kernel.
func (f *file) everything() {
	for n := 1; n <= 3; n++ {
		f.product(n, true)
		f.outer(n)
	}
	for n := 1; n <= 2; n++ { // two more registers are needed
		f.product(n, false)
	}
	f.input(single)
	f.output(single, false)
	f.output(single, true)
	f.inputAdjoint()
	f.outputAdjoint()
	f.axpy(true)
	f.axpy(false)
	f.scatter(true)
	f.scatter(false)
	f.rectify()
	f.pool()
}

// axpy adds a multiple of a row to another, 8 numbers at a time.
func (f *file) axpy(fused bool) {
	name := "Axpy"
	if !fused {
		name = "UnfusedAxpy"
	}
	f.text(name, "y, w []float32, v float32", "implements axpy.")
	y, w, n := f.pointer("y"), f.pointer("w"), f.length("y")
	a, b, c := f.pair(), f.pair(), f.vector()
	f.line("FMOVS v+%d(FP), F%d", f.offsets["v"], c)
	f.line("LSR $3, %v", n)
	f.line("CBZ %v, done", n)
	f.loop(n, func() {
		f.loadPair(a, y, 0)
		f.loadPairNext(b, w)
		if fused {
			f.eachLane("fmla", a, b, c, 0)
		} else {
			f.eachLane("fmul", b, b, c, 0)
			f.each("fadd", a, a, b)
		}
		f.storePairNext(a, y)
	})
	f.label("done")
	f.end()
}

// scatter adds multiples of blocks of weights to blocks of squares, 8 numbers at a time.
func (f *file) scatter(fused bool) {
	name := "Scatter"
	if !fused {
		name = "UnfusedScatter"
	}
	f.text(name, "y, w []float32, at, from []int32, values []float32, out int", "implements scatter.")
	board, weights, at, from, values := f.pointer("y"), f.pointer("w"), f.pointer("at"), f.pointer("from"), f.pointer("values")
	n, rank, groups := f.length("values"), f.integer("out"), f.integer("out")
	y, w, turns := f.new(), f.new(), f.new()
	a, b, v := f.pair(), f.pair(), f.vector()
	f.line("ADD %v<<1, %v", groups, groups) // of the 3*out numbers of a row
	f.line("LSR $3, %v", groups)
	f.line("MOVD $28, %v", turns) // from the end of a row to the next, 7*out
	f.line("MUL %v, %v", turns, rank)
	f.line("CBZ %v, done", n)
	f.loop(n, func() {
		f.line("MOVW.P 4(%v), %v", at, y)
		f.line("ADD %v<<2, %v, %v", y, board, y)
		f.line("MOVW.P 4(%v), %v", from, w)
		f.line("ADD %v<<2, %v, %v", w, weights, w)
		f.line("FMOVS.P 4(%v), F%d", values, v)
		for range 3 {
			f.line("MOVD %v, %v", groups, turns)
			f.loop(turns, func() {
				f.loadPair(a, y, 0)
				f.loadPairNext(b, w)
				if fused {
					f.eachLane("fmla", a, b, v, 0)
				} else {
					f.eachLane("fmul", b, b, v, 0)
					f.each("fadd", a, a, b)
				}
				f.storePairNext(a, y)
			})
			f.line("ADD %v, %v", rank, y)
		}
	})
	f.label("done")
	f.end()
}

// rectify adds a bias to rows and applies ReLU, 8 numbers at a time.
func (f *file) rectify() {
	f.text("Rectify", "y, bias []float32, rows int", "implements rectify.")
	y, bias, rows, groups := f.pointer("y"), f.pointer("bias"), f.integer("rows"), f.length("bias")
	at, turns := f.new(), f.new()
	f.line("LSR $3, %v", groups)
	zero, v, add := f.vector(), f.pair(), f.pair()
	f.zero(zero)
	f.loop(rows, func() {
		f.line("MOVD %v, %v", bias, at)
		f.line("MOVD %v, %v", groups, turns)
		f.loop(turns, func() {
			f.loadPair(v, y, 0)
			f.loadPairNext(add, at)
			f.each("fadd", v, v, add)
			f.eachBy("fmax", v, v, zero) // a NaN stays a NaN
			f.storePairNext(v, y)
		})
	})
	f.end()
}

// pool takes the means and maxima of a board, 8 channels at a time.
func (f *file) pool() {
	f.text("Pool", "mean, most, x []float32, channels, row int", "implements pool.")
	mean, most, x := f.pointer("mean"), f.pointer("most"), f.pointer("x")
	groups, row, at := f.integer("channels"), f.stride("row", 2), f.new()
	f.line("LSR $3, %v", groups)
	sum, high, v, share := f.pair(), f.pair(), f.pair(), f.constants(1./64)
	f.loop(groups, func() {
		f.line("MOVD %v, %v", x, at)
		f.loadPairStep(sum, at, row)
		f.eachOf("mov", high, sum)
		f.times(21, func() {
			for range 3 {
				f.loadPairStep(v, at, row)
				f.each("fadd", sum, sum, v)
				f.each("fmax", high, high, v)
			}
		})
		f.eachLane("fmul", sum, sum, share, 0)
		f.storePairNext(sum, mean)
		f.storePairNext(high, most)
		f.line("ADD $32, %v", x)
	})
	f.end()
}
