package main

// everything generates the routines of package kernel.
func (f *file) everything() {
	for n := 1; n <= 3; n++ {
		f.product(n, true)
		f.product(n, false)
		f.outer(n)
	}
	f.input(single)
	f.output(single, false)
	f.output(single, true)
	f.inputAdjoint()
	f.outputAdjoint()
	f.axpy(true)
	f.axpy(false)
	f.rectify()
	f.pool()
	f.nonzero()
}

// axpy adds a multiple of a row to another, 8 numbers at a time.
func (f *file) axpy(fused bool) {
	name, twin := "Axpy", "axpy"
	if !fused {
		name, twin = "UnfusedAxpy", "unfusedAxpy"
	}
	f.text(name, "y, w []float32, v float32", "implements "+twin+".")
	y, w, n := f.pointer("y"), f.pointer("w"), f.length("y")
	a, b, c := f.some(2), f.some(2), f.vector()
	f.line("FMOVS v+%d(FP), F%d", f.offsets["v"], c)
	f.line("LSR $3, %v", n)
	f.line("CBZ %v, done", n)
	f.loop(n, func() {
		f.loadPair(a[0], a[1], y, 0)
		f.loadNextPair(b[0], b[1], w)
		for i := range a {
			if fused {
				f.byLane("fmla", a[i], b[i], c, 0)
				continue
			}
			f.byLane("fmul", b[i], b[i], c, 0)
			f.three("fadd", a[i], a[i], b[i])
		}
		f.storeNextPair(a[0], a[1], y)
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
	zero, v, add := f.vector(), f.some(2), f.some(2)
	f.zero(zero)
	f.loop(rows, func() {
		f.line("MOVD %v, %v", bias, at)
		f.line("MOVD %v, %v", groups, turns)
		f.loop(turns, func() {
			f.loadPair(v[0], v[1], y, 0)
			f.loadNextPair(add[0], add[1], at)
			for i := range v {
				f.three("fadd", v[i], v[i], add[i])
				f.three("fmax", v[i], v[i], zero) // a NaN stays a NaN
			}
			f.storeNextPair(v[0], v[1], y)
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
	sum, high, v, share := f.some(2), f.some(2), f.some(2), f.fill(1./64)
	f.loop(groups, func() {
		f.line("MOVD %v, %v", x, at)
		f.loadPair(sum[0], sum[1], at, 0)
		for i := range sum {
			f.two("mov", high[i], sum[i])
		}
		f.times(21, func() {
			for range 3 {
				f.line("ADD %v, %v", row, at)
				f.loadPair(v[0], v[1], at, 0)
				for i := range sum {
					f.three("fadd", sum[i], sum[i], v[i])
					f.three("fmax", high[i], high[i], v[i])
				}
			}
		})
		for i := range sum {
			f.three("fmul", sum[i], sum[i], share)
		}
		f.storeNextPair(sum[0], sum[1], mean)
		f.storeNextPair(high[0], high[1], most)
		f.line("ADD $32, %v", x)
	})
	f.end()
}

// nonzero compares 64 numbers at a time, and takes one bit of each.
func (f *file) nonzero() {
	f.text("Nonzero", "bits []uint64, x []float32", "implements nonzero.")
	bits, x, words, r := f.pointer("bits"), f.pointer("x"), f.length("bits"), f.new()
	own := f.vector() // the bit of each byte
	f.line("MOVD $0x8040201008040201, %v", r)
	f.line("VDUP %v, V%d.D2", r, own)
	f.loop(words, func() {
		var parts [4]vec
		for i := range parts {
			v := f.some(4)
			f.loadNextPair(v[0], v[1], x)
			f.loadNextPair(v[2], v[3], x)
			for _, v := range v {
				f.two("fcmeq", v, v)
			}
			f.three("uzp1.8h", v[0], v[0], v[1])
			f.three("uzp1.8h", v[2], v[2], v[3])
			f.three("uzp1", v[0], v[0], v[2])
			f.three("bic", v[0], own, v[0])
			parts[i] = v[0]
			f.free(v[1:]...)
		}
		f.three("addp", parts[0], parts[0], parts[1])
		f.three("addp", parts[2], parts[2], parts[3])
		f.three("addp", parts[0], parts[0], parts[2])
		f.three("addp", parts[0], parts[0], parts[0])
		f.line("VMOV V%d.D[0], %v", parts[0], r)
		f.line("MOVD.P %v, 8(%v)", r, bits)
		f.free(parts[:]...)
	})
	f.end()
}
