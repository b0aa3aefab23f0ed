package main

// spreadAdjoint is the adjoint of spread for both tiles of a line. It transforms twelve numbers, six of
// each tile, to eight squares, and overwrites the numbers. The constants are 4, 5 and -5.
func (f *file) spreadAdjoint(d [2][6]vec, c4, c5, minus5 vec, store func(i int, v vec)) {
	var middle [2]vec // two squares that both tiles contribute to
	for tile, t := range d {
		p, q, r, e := f.vector(), f.vector(), f.vector(), f.vector()
		f.three("fadd", p, t[1], t[2])
		f.three("fsub", q, t[1], t[2])
		f.three("fadd", r, t[3], t[4])
		f.three("fsub", e, t[4], t[3])
		f.three("fadd", e, e, e) // 2 (t4 - t3)
		// The results in the order of the line, except the one off the board.
		rest, second, third, fourth, fifth := t[1], e, t[2], t[3], t[4]
		f.three("fsub", rest, t[5], q)
		f.three("fsub", fourth, q, e)
		f.three("fmla", second, rest, c4) // 4 (t5 - q) + e
		f.three("fmul", third, t[0], minus5)
		f.three("fmls", third, p, c4)
		f.three("fsub", third, third, r) // -5 t0 - 4 p - r
		f.three("fmls", fourth, t[5], c5)
		f.three("fadd", fifth, t[0], p)
		f.three("fadd", fifth, fifth, r)
		if tile == 0 {
			store(0, second)
			store(1, third)
			store(2, fourth)
			middle = [2]vec{fifth, t[5]}
		} else {
			f.three("fmla", middle[0], t[0], c4)
			f.three("fadd", middle[1], middle[1], second)
			for i, v := range []vec{middle[0], middle[1], third, fourth, fifth} {
				store(3+i, v)
			}
		}
		f.free(p, q, r, e)
	}
}

// inputAdjoint is the adjoint of input.
func (f *file) inputAdjoint() {
	f.text("InputAdjoint", "dx, dv, line []float32, channels, point int", "implements inputAdjoint.")
	dx, dv, line := f.pointer("dx"), f.pointer("dv"), f.pointer("line")
	square, point := f.stride("channels", 2), f.stride("point", 2)
	rank, groups := f.shifted(square, 3), f.integer("channels")
	f.line("LSR $2, %v", groups)
	c4, c5, minus5 := f.fill(4), f.fill(5), f.fill(-5)
	d := [2][6]vec{[6]vec(f.some(6)), [6]vec(f.some(6))}
	at, to, left, right, start := f.new(), f.new(), f.new(), f.new(), f.new()
	f.loop(groups, func() {
		f.line("MOVD %v, %v", line, to)
		f.line("MOVD %v, %v", dv, start)
		f.times(2, func() { // rows of tiles
			f.line("MOVD %v, %v", start, left)
			f.line("ADD %v, %v, %v", square, start, right)
			f.times(6, func() {
				for i := range 6 {
					f.loadStep(d[0][i], left, point)
					f.loadStep(d[1][i], right, point)
				}
				f.spreadAdjoint(d, c4, c5, minus5, func(_ int, v vec) { f.storeNext(v, to) })
			})
			f.line("ADD %v<<1, %v", square, start)
		})
		f.line("MOVD %v, %v", line, at)
		f.line("MOVD %v, %v", dx, start)
		f.times(8, func() {
			f.line("MOVD %v, %v", start, to)
			for tile := range 2 {
				for i := range 6 {
					f.load(d[tile][i], at, (tile*6+i)*8*16)
				}
			}
			f.spreadAdjoint(d, c4, c5, minus5, func(_ int, v vec) { f.storeStep(v, to, rank) })
			f.line("ADD $16, %v", at)
			f.line("ADD %v, %v", square, start)
		})
		f.line("ADD $16, %v", dx)
		f.line("ADD $16, %v", dv)
	})
	f.end()
}

// gatherAdjoint is the adjoint of gather. It transforms four numbers to six, and overwrites them.
func (f *file) gatherAdjoint(g [4]vec, c4 vec) [6]vec {
	p, q := f.vector(), f.vector()
	f.three("fadd", p, g[0], g[2])
	f.three("fadd", q, g[1], g[3])
	y1, y2 := f.vector(), p
	f.three("fadd", y1, p, q)
	f.three("fsub", y2, p, q)
	f.two("mov", q, g[0])
	f.three("fmla", q, g[2], c4)
	f.three("fmla", g[1], g[3], c4)
	f.three("fadd", g[1], g[1], g[1])
	y3, y4 := g[2], q
	f.three("fadd", y3, q, g[1])
	f.three("fsub", y4, q, g[1])
	f.free(g[1])
	return [6]vec{g[0], y1, y2, y3, y4, g[3]}
}

// outputAdjoint is the adjoint of output, with the gradient before its ReLU and the sums of that. The 24
// numbers between the two dimensions of a transform stay in registers.
func (f *file) outputAdjoint() {
	f.text("OutputAdjoint", "dm, g, sum, dy, y, line []float32, channels, point int", "implements outputAdjoint.")
	dm, g, sum, dy, y := f.pointer("dm"), f.pointer("g"), f.pointer("sum"), f.pointer("dy"), f.pointer("y")
	groups, point, square := f.integer("channels"), f.stride("point", 2), f.stride("channels", 2)
	f.line("LSR $2, %v", groups)
	f.line("SUB %v, %v", dy, g) // distances from dy
	f.line("SUB %v, %v", dy, y)
	square4, square24 := f.shifted(square, 2), f.new()
	f.line("ADD %v<<1, %v, %v", square4, square4, square24)
	f.line("LSL $1, %v", square24)
	point6, back := f.new(), f.new()
	f.line("ADD %v<<1, %v, %v", point, point, point6)
	f.line("LSL $1, %v", point6)
	f.line("ADD %v<<2, %v, %v", point6, point6, back)
	f.line("ADD %v<<2, %v, %v", point, back, back)
	f.line("ADD %v, %v, %v", point, back, back)
	c4, total := f.fill(4), f.vector()
	mp, yp, at, toG, fromY := f.new(), f.new(), f.new(), f.new(), f.new()
	f.loop(groups, func() {
		f.zero(total)
		f.line("MOVD %v, %v", dm, mp)
		f.line("MOVD %v, %v", dy, yp)
		f.times(2, func() {
			f.times(2, func() {
				f.line("MOVD %v, %v", yp, at)
				f.line("ADD %v, %v, %v", g, yp, toG)
				f.line("ADD %v, %v, %v", y, yp, fromY)
				var ranks [4][6]vec
				for r := range ranks {
					q := [4]vec(f.some(4))
					for _, v := range q {
						passed := f.vector()
						f.loadStep(passed, fromY, square)
						f.loadStep(v, at, square)
						f.two("fcmgt", passed, passed)
						f.three("and", v, v, passed)
						f.three("fadd", total, total, v)
						f.storeStep(v, toG, square)
						f.free(passed)
					}
					if r < 3 {
						for _, p := range []general{at, toG, fromY} {
							f.line("ADD %v, %v", square4, p)
						}
					}
					ranks[r] = f.gatherAdjoint(q, c4)
				}
				f.line("MOVD %v, %v", mp, at)
				for j := range 6 {
					column := f.gatherAdjoint([4]vec{ranks[0][j], ranks[1][j], ranks[2][j], ranks[3][j]}, c4)
					for _, v := range column {
						f.storeStep(v, at, point6)
					}
					f.free(column[:]...)
					if j < 5 {
						f.line("SUB %v, %v", back, at)
					}
				}
				f.line("ADD %v, %v", square, mp)
				f.line("ADD %v, %v", square4, yp)
			})
			f.line("ADD %v, %v", square24, yp)
		})
		f.storeNext(total, sum)
		f.line("ADD $16, %v", dm)
		f.line("ADD $16, %v", dy)
	})
	f.end()
}
