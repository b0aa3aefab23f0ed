package main

// spreadAdjoint is the adjoint of spread for both tiles of a line. It transforms twelve numbers, six of
// each tile, to eight squares. The constants are 4, 5, -5 and 2.
func (f *file) spreadAdjoint(constants vec, load func(tile, i int, p pair), store func(p pair)) {
	var middle [2]pair // two squares that both tiles contribute to
	for tile := range 2 {
		t := f.pairs(6)
		for i, p := range t {
			load(tile, i, p)
		}
		p, q, r, e := f.pair(), f.pair(), f.pair(), f.pair()
		f.each("fadd", p, t[1], t[2])
		f.each("fsub", q, t[1], t[2])
		f.each("fadd", r, t[3], t[4])
		f.each("fsub", e, t[4], t[3])
		// The results in the order of the line, except the one off the board.
		rest, second, third, fourth, fifth := t[1], t[1], t[2], q, t[4]
		f.each("fsub", rest, t[5], q)
		f.eachLane("fmls", fourth, e, constants, 3)
		f.eachLane("fmls", fourth, t[5], constants, 1) // q - 2 e - 5 t5
		f.eachLane("fmul", third, t[0], constants, 2)
		f.eachLane("fmls", third, p, constants, 0)
		f.each("fsub", third, third, r) // -5 t0 - 4 p - r
		f.each("fadd", fifth, t[0], p)
		f.each("fadd", fifth, fifth, r)
		if tile == 0 {
			f.eachLane("fmul", second, rest, constants, 0)
			f.eachLane("fmla", second, e, constants, 3) // 4 (t5 - q) + 2 e
			for _, v := range []pair{second, third, fourth} {
				store(v)
			}
			middle = [2]pair{fifth, t[5]}
			f.freePairs(t[:4]...)
		} else {
			f.eachLane("fmla", middle[0], t[0], constants, 0)
			f.eachLane("fmla", middle[1], rest, constants, 0)
			f.eachLane("fmla", middle[1], e, constants, 3)
			for _, v := range []pair{middle[0], middle[1], third, fourth, fifth} {
				store(v)
			}
			f.freePairs(t...)
			f.freePairs(middle[:]...)
		}
		f.freePairs(p, q, r, e)
	}
}

// inputAdjoint is the adjoint of input.
func (f *file) inputAdjoint() {
	f.text("InputAdjoint", "dx, dv, line []float32, channels, point int", "implements inputAdjoint.")
	dx, dv, line := f.pointer("dx"), f.pointer("dv"), f.pointer("line")
	square, point := f.stride("channels", 2), f.stride("point", 2)
	rank, groups, step := f.shifted(square, 3), f.integer("channels"), f.new()
	f.line("LSR $3, %v", groups)
	f.line("MOVD $%d, %v", between, step)
	constants := f.constants(4, 5, -5, 2)
	at, to, left, right, start := f.new(), f.new(), f.new(), f.new(), f.new()
	column := f.shifted(square, 6) // from the end of a file to the next
	f.line("SUB %v, %v", square, column)
	f.loop(groups, func() {
		f.line("MOVD %v, %v", line, to)
		f.line("MOVD %v, %v", dv, start)
		f.times(2, func() { // rows of tiles
			f.line("MOVD %v, %v", start, left)
			f.line("ADD %v, %v, %v", square, start, right)
			f.times(6, func() {
				f.spreadAdjoint(constants, func(tile, _ int, p pair) {
					f.loadPairStep(p, []general{left, right}[tile], point)
				}, func(p pair) { f.storePairNext(p, to) })
			})
			f.line("ADD %v<<1, %v", square, start)
		})
		f.line("MOVD %v, %v", line, at)
		f.line("MOVD %v, %v", dx, to)
		f.times(8, func() {
			f.spreadAdjoint(constants, func(_, _ int, p pair) { f.loadPairStep(p, at, step) },
				func(p pair) { f.storePairStep(p, to, rank) })
			f.line("SUB $%d, %v", 12*between-32, at)
			f.line("SUB %v, %v", column, to)
		})
		f.line("ADD $32, %v", dx)
		f.line("ADD $32, %v", dv)
	})
	f.end()
}

// gatherAdjoint is the adjoint of gather. It transforms four numbers to six, and overwrites them. The
// constants are 3 and 4.
func (f *file) gatherAdjoint(g [4]pair, constants vec) [6]pair {
	p, q, y1 := f.pair(), f.pair(), f.pair()
	f.each("fadd", p, g[0], g[2])
	f.each("fadd", q, g[1], g[3])
	y2 := q
	f.each("fadd", y1, p, q)
	f.each("fsub", y2, p, q)
	f.eachLane("fmla", p, g[2], constants, 0) // g0 + 4 g2
	f.eachLane("fmla", g[1], g[3], constants, 1)
	f.each("fadd", g[1], g[1], g[1])
	y3, y4 := g[2], p
	f.each("fadd", y3, p, g[1])
	f.each("fsub", y4, p, g[1])
	f.freePairs(g[1])
	return [6]pair{g[0], y1, y2, y3, y4, g[3]}
}

// outputAdjoint is the adjoint of output, with the gradient before its ReLU and the sums of that.
func (f *file) outputAdjoint() {
	f.text("OutputAdjoint", "dm, g, sum, dy, y, line []float32, channels, point int", "implements outputAdjoint.")
	dm, g, sum, dy, y := f.pointer("dm"), f.pointer("g"), f.pointer("sum"), f.pointer("dy"), f.pointer("y")
	line, groups, square, points := f.pointer("line"), f.integer("channels"), f.stride("channels", 2), f.columns()
	ranks := f.ranks(square)
	f.line("LSR $3, %v", groups)
	f.line("SUB %v, %v", dy, g) // distances from dy
	f.line("SUB %v, %v", dy, y)
	constants, total := f.constants(3, 4), f.pair()
	mp, yp, at, toG, fromY := f.new(), f.new(), f.new(), f.new(), f.new()
	f.loop(groups, func() {
		f.zero(vec(total))
		f.zero(vec(total + 1))
		f.line("MOVD %v, %v", dm, mp)
		f.line("MOVD %v, %v", dy, yp)
		f.tiles(mp, square, yp, square, func() {
			f.line("MOVD %v, %v", yp, at)
			f.line("ADD %v, %v, %v", g, yp, toG)
			f.line("ADD %v, %v, %v", y, yp, fromY)
			for r := range 4 {
				q := [4]pair(f.pairs(4))
				for i, p := range q {
					step, passed := ranks.after(i), f.pair()
					f.loadPairStep(passed, fromY, step)
					f.loadPairStep(p, at, step)
					f.eachOf("fcmgt", passed, passed)
					f.each("and", p, p, passed)
					f.each("fadd", total, total, p)
					f.storePairStep(p, toG, step)
					f.freePairs(passed)
				}
				all := f.gatherAdjoint(q, constants)
				for j, p := range all {
					f.storePair(p, line, (j*4+r)*32)
				}
				f.freePairs(all[:]...)
			}
			f.line("MOVD %v, %v", line, fromY)
			f.line("MOVD %v, %v", mp, at)
			for range 6 {
				q := [4]pair(f.pairs(4))
				f.loadTwoNext(q[0], q[1], fromY)
				f.loadTwoNext(q[2], q[3], fromY)
				all := f.gatherAdjoint(q, constants)
				for i, p := range all {
					f.storePairStep(p, at, points.after(i))
				}
				f.freePairs(all[:]...)
			}
		})
		f.storePairNext(total, sum)
		f.line("ADD $32, %v", dm)
		f.line("ADD $32, %v", dy)
	})
	f.end()
}
