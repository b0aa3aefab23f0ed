package main

// number is how a package stores the numbers of boards.
type number struct {
	shift int // a number has 1<<shift bytes
	whole bool
}

var (
	single = number{shift: 2}
	short  = number{shift: 1, whole: true}
)

// spread applies the transpose of B of F(4,3) to the eight squares of a line, once for each of its two
// tiles. The sixth square of a tile is off the board and zero; it comes before the others in the
// first tile and after them in the last. Whole numbers have the results 3 and 4 twice as large,
// because what they are divided by is half of that of the others. The constants are 4 and 5. The
// vectors of the squares are overwritten.
func (f *file) spread(x [8]vec, whole bool, c4, c5 vec, store func(tile, i int, v vec)) {
	tile := func(number int, d1, d2, d3, d4 vec, ends func()) {
		var y [6]vec
		c, e := f.vector(), f.vector()
		f.three("fsub", c, d4, d2)
		f.three("fsub", e, d3, d1)
		if number == 0 {
			y[5] = x[4]
			f.three("fmla", y[5], d1, c4)
		} else {
			y[5] = f.vector()
			f.three("fmul", y[5], d1, c4)
		}
		f.three("fmls", y[5], d3, c5)
		a, b := d4, d3 // which are not needed any more
		f.three("fmls", a, d2, c4)
		f.three("fmls", b, d1, c4)
		y[1], y[2], y[3] = f.vector(), f.vector(), f.vector()
		f.three("fadd", y[1], a, b)
		f.three("fsub", y[2], a, b)
		y[0], y[4] = a, c
		f.three("fsub", y[0], a, d2)
		ends()
		if whole {
			f.three("fadd", c, c, c)
			f.three("fmul", e, e, c4)
		} else {
			f.three("fadd", e, e, e)
		}
		f.three("fadd", y[3], c, e)
		f.three("fsub", y[4], c, e)
		for i, v := range y {
			store(number, i, v)
		}
		f.free(c, e, y[1], y[2], y[3])
		if number == 1 {
			f.free(y[5])
		}
	}
	tile(1, x[4], x[5], x[6], x[7], func() { f.three("fmla", x[7], x[3], c4) })
	tile(0, x[0], x[1], x[2], x[3], func() {})
}

// input transforms a board to the 36 points of its four tiles, four channels at a time.
func (f *file) input(n number) {
	if n.whole {
		f.text("Input", "v, x []int16, line []float32, channels, point int", "implements input.")
	} else {
		f.text("Input", "v, x, line []float32, channels, point int", "implements input.")
	}
	v, x, line := f.pointer("v"), f.pointer("x"), f.pointer("line")
	square, point := f.stride("channels", n.shift), f.stride("point", n.shift)
	rank, groups := f.shifted(square, 3), f.integer("channels")
	f.line("LSR $2, %v", groups)
	c4, c5 := f.fill(4), f.fill(5)
	d := [8]vec(f.some(8))
	at, to, left, right, start := f.new(), f.new(), f.new(), f.new(), f.new()
	f.loop(groups, func() {
		f.line("MOVD %v, %v", x, start)
		f.line("MOVD %v, %v", line, to)
		f.times(8, func() {
			f.line("MOVD %v, %v", start, at)
			for _, v := range d {
				if !n.whole {
					f.loadStep(v, at, rank)
					continue
				}
				f.loadHalfStep(v, at, rank)
				f.two("sxtl", v, v)
				f.two("scvtf/32", v, v)
			}
			f.spread(d, n.whole, c4, c5, func(tile, i int, v vec) { f.store(v, to, (6*tile+i)*8*16) })
			f.line("ADD $16, %v", to)
			f.line("ADD %v, %v", square, start)
		})
		f.line("MOVD %v, %v", line, at)
		f.line("MOVD %v, %v", v, start)
		f.times(2, func() { // rows of tiles
			f.line("MOVD %v, %v", start, left)
			f.line("ADD %v, %v, %v", square, start, right)
			f.times(6, func() {
				for i := 0; i < 8; i += 2 {
					f.loadNextPair(d[i], d[i+1], at)
				}
				f.spread(d, n.whole, c4, c5, func(tile, _ int, v vec) {
					to := []general{left, right}[tile]
					if !n.whole {
						f.storeStep(v, to, point)
						return
					}
					f.two("fcvtns", v, v)
					f.two("sqxtn", v, v)
					f.storeHalfStep(v, to, point)
				})
			})
			f.line("ADD %v<<1, %v", square, start)
		})
		f.line("ADD $%d, %v", 4<<n.shift, x)
		f.line("ADD $%d, %v", 4<<n.shift, v)
	})
	f.end()
}

// gather applies the transpose of A of F(4,3), which transforms six numbers to four. It overwrites them,
// and frees the vectors that it does not return. The constants are 2, 4 and 8.
func (f *file) gather(q [6]vec, constants vec) [4]vec {
	a := f.vector()
	f.three("fadd", a, q[1], q[2])
	b, c, e := q[1], q[2], q[3]
	f.three("fsub", b, q[1], q[2])
	f.three("fadd", c, q[3], q[4])
	f.three("fsub", e, q[3], q[4])
	f.three("fadd", q[0], q[0], a)
	f.three("fadd", q[5], q[5], b)
	f.three("fadd", q[0], q[0], c)
	f.byLane("fmla", q[5], e, constants, 2)
	f.byLane("fmla", a, c, constants, 1)
	f.byLane("fmla", b, e, constants, 0)
	f.free(c, e, q[4])
	return [4]vec{q[0], b, a, q[5]}
}

// powers returns a vector of 2, 4 and 8.
func (f *file) powers() vec {
	d, r := f.vector(), f.new()
	for i, bits := range []int{0x40000000, 0x40800000, 0x41000000} {
		f.line("MOVD $0x%x, %v", bits, r)
		f.line("VMOV %v, V%d.S[%d]", r, d, i)
	}
	f.release(r)
	return d
}

// output transforms the 36 points of the four tiles of a board to its squares, adds the bias and, if
// residual is true, the residual, applies ReLU, and rounds whole numbers. The 24 numbers between
// the two dimensions of a transform stay in registers.
func (f *file) output(n number, residual bool) {
	f.outputText(n, residual)
	y, m, bias := f.pointer("y"), f.pointer("m"), f.pointer("bias")
	groups, point := f.integer("channels"), f.stride("point", 2)
	next := f.shifted(groups, 2) // from one tile to the next
	square := next
	if n.whole {
		square = f.stride("square", n.shift)
	}
	f.line("LSR $2, %v", groups)
	square4, square24 := f.shifted(square, 2), f.new()
	f.line("ADD %v<<1, %v, %v", square4, square4, square24)
	f.line("LSL $1, %v", square24)
	point6, back := f.new(), f.new() // back from the end of a column of points to the next
	f.line("ADD %v<<1, %v, %v", point, point, point6)
	f.line("LSL $1, %v", point6)
	f.line("ADD %v<<2, %v, %v", point6, point6, back)
	f.line("ADD %v<<2, %v, %v", point, back, back)
	f.line("ADD %v, %v, %v", point, back, back)
	var distance, ratio general // from y to the residual
	if residual {
		distance = f.pointer("residual")
		f.line("SUB %v, %v", y, distance)
		if n.whole {
			ratio = f.pointer("ratio")
		}
	}
	constants, zero, add := f.powers(), f.vector(), f.vector()
	f.zero(zero)
	var per vec
	if residual && n.whole {
		per = f.vector()
	}
	mp, yp, at, from := f.new(), f.new(), f.new(), f.new()
	store := func(v vec) {
		f.three("fadd", v, v, add)
		if residual {
			own := f.vector()
			if n.whole {
				f.loadHalfStep(own, from, square)
				f.two("sxtl", own, own)
				f.two("scvtf", own, own)
				f.three("fmul", own, own, per)
			} else {
				f.loadStep(own, from, square)
			}
			f.three("fadd", v, v, own)
			f.free(own)
		}
		if n.whole {
			f.two("fcvtns", v, v)
			f.two("sqxtn", v, v)
			f.three("smax", v, v, zero)
			f.storeHalfStep(v, at, square)
		} else {
			f.three("fmax", v, v, zero)
			f.storeStep(v, at, square)
		}
	}
	f.loop(groups, func() {
		f.loadNext(add, bias)
		if ratio != 0 {
			f.loadNext(per, ratio)
		}
		f.line("MOVD %v, %v", m, mp)
		f.line("MOVD %v, %v", y, yp)
		f.times(2, func() {
			f.times(2, func() {
				f.line("MOVD %v, %v", mp, at)
				var columns [6][4]vec
				for j := range columns {
					q := [6]vec(f.some(6))
					for _, v := range q {
						f.loadStep(v, at, point6)
					}
					if j < 5 {
						f.line("SUB %v, %v", back, at)
					}
					columns[j] = f.gather(q, constants)
				}
				f.line("MOVD %v, %v", yp, at)
				if residual {
					f.line("ADD %v, %v, %v", distance, yp, from)
				}
				for r := range 4 {
					var q [6]vec
					for j, c := range columns {
						q[j] = c[r]
					}
					for _, v := range f.gather(q, constants) {
						store(v)
						f.free(v)
					}
					if r < 3 {
						f.line("ADD %v, %v", square4, at)
						if residual {
							f.line("ADD %v, %v", square4, from)
						}
					}
				}
				f.line("ADD %v, %v", next, mp)
				f.line("ADD %v, %v", square4, yp)
			})
			f.line("ADD %v, %v", square24, yp)
		})
		f.line("ADD $16, %v", m)
		f.line("ADD $%d, %v", 4<<n.shift, y)
	})
	f.end()
}

func (f *file) outputText(n number, residual bool) {
	name, doc := "Output", "implements output."
	if residual {
		name, doc = "OutputAdd", "implements outputAdd."
	}
	switch {
	case n.whole && residual:
		f.text(name, "y []int16, m, bias []float32, residual []int16, ratio, line []float32, channels, square, point int", doc)
	case n.whole:
		f.text(name, "y []int16, m, bias, line []float32, channels, square, point int", doc)
	case residual:
		f.text(name, "y, m, bias, residual, line []float32, channels, point int", doc)
	default:
		f.text(name, "y, m, bias, line []float32, channels, point int", doc)
	}
}
