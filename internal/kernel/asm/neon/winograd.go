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

// between is the distance in bytes of the twelve half-transformed lines of a board in memory, each with
// eight pairs.
const between = 8 * 32

// spread applies the transpose of B of F(4,3) to the eight squares of a line, once for each of its two
// tiles, the second first. The sixth square of a tile is off the board and zero; it comes before the
// others in the first tile and after them in the second. Whole numbers have the results 3 and 4
// twice as large, because what they are divided by is half of that of the others. The
// constants are 4 and 5. The squares are overwritten.
func (f *file) spread(x [8]pair, whole bool, constants vec, store func(tile, i int, v pair)) {
	for _, tile := range []int{1, 0} {
		d1, d2, d3, d4 := x[4*tile], x[4*tile+1], x[4*tile+2], x[4*tile+3]
		c, e := f.pair(), f.pair()
		f.each("fsub", c, d4, d2)
		f.each("fsub", e, d3, d1)
		y5 := x[4]
		if tile == 0 {
			f.eachLane("fmla", y5, d1, constants, 0)
		} else {
			y5 = f.pair()
			f.eachLane("fmul", y5, d1, constants, 0)
		}
		f.eachLane("fmls", y5, d3, constants, 1)
		a, b := d4, d3 // which are not needed any more
		f.eachLane("fmls", a, d2, constants, 0)
		f.eachLane("fmls", b, d1, constants, 0)
		y1, y2, y3 := f.pair(), f.pair(), f.pair()
		f.each("fadd", y1, a, b)
		f.each("fsub", y2, a, b)
		y0, y4 := a, c
		f.each("fsub", y0, a, d2)
		if tile == 1 {
			f.eachLane("fmla", y0, x[3], constants, 0)
		}
		if whole {
			f.each("fadd", c, c, c)
			f.eachLane("fmul", e, e, constants, 0)
		} else {
			f.each("fadd", e, e, e)
		}
		f.each("fadd", y3, c, e)
		f.each("fsub", y4, c, e)
		for i, v := range []pair{y0, y1, y2, y3, y4, y5} {
			store(tile, i, v)
		}
		f.freePairs(c, e, y1, y2, y3)
		if tile == 1 {
			f.freePairs(y5)
		}
	}
}

// input transforms a board to the 36 points of its four tiles, eight channels at a time.
func (f *file) input(n number) {
	if n.whole {
		f.text("Input", "v, x []int16, line []float32, channels, point int", "implements input.")
	} else {
		f.text("Input", "v, x, line []float32, channels, point int", "implements input.")
	}
	v, x, line := f.pointer("v"), f.pointer("x"), f.pointer("line")
	square, point := f.stride("channels", n.shift), f.stride("point", n.shift)
	rank, groups, step := f.shifted(square, 3), f.integer("channels"), f.new()
	f.line("LSR $3, %v", groups)
	f.line("MOVD $%d, %v", between, step)
	squares := [8]pair(f.pairs(8))
	constants := f.constants(4, 5)
	at, to, lp, left, right, start := f.new(), f.new(), f.new(), f.new(), f.new(), f.new()
	f.loop(groups, func() {
		f.line("MOVD %v, %v", x, start)
		f.line("MOVD %v, %v", line, lp)
		f.times(8, func() {
			f.line("MOVD %v, %v", start, at)
			f.line("MOVD %v, %v", lp, to)
			for _, p := range squares {
				if n.whole {
					f.widenStep(p, "scvtf/32", at, rank)
				} else {
					f.loadPairStep(p, at, rank)
				}
			}
			f.spread(squares, n.whole, constants, func(_, _ int, v pair) { f.storePairStep(v, to, step) })
			f.line("ADD $32, %v", lp)
			f.line("ADD %v, %v", square, start)
		})
		f.line("MOVD %v, %v", line, at)
		f.line("ADD %v<<1, %v, %v", square, v, start)
		f.times(2, func() { // rows of tiles, the northern one first
			f.line("MOVD %v, %v", start, left)
			f.line("ADD %v, %v, %v", square, start, right)
			f.times(6, func() {
				for i := 0; i < 8; i += 2 {
					f.loadTwoNext(squares[i], squares[i+1], at)
				}
				f.spread(squares, n.whole, constants, func(tile, _ int, v pair) {
					to := []general{left, right}[tile]
					if n.whole {
						f.narrow(v)
						f.storeWholeStep(v, to, point)
					} else {
						f.storePairStep(v, to, point)
					}
				})
			})
			f.line("MOVD %v, %v", v, start)
		})
		f.line("ADD $%d, %v", 8<<n.shift, x)
		f.line("ADD $%d, %v", 8<<n.shift, v)
	})
	f.end()
}

// gather applies the transpose of A of F(4,3), which transforms six numbers to four. It overwrites them,
// and frees the pairs that it does not return. The constants are 2, 4 and 8.
func (f *file) gather(q [6]pair, constants vec) [4]pair {
	a := f.pair()
	f.each("fadd", a, q[1], q[2])
	b, c, e := q[1], q[2], q[3]
	f.each("fsub", b, q[1], q[2])
	f.each("fadd", c, q[3], q[4])
	f.each("fsub", e, q[3], q[4])
	f.each("fadd", q[0], q[0], a)
	f.each("fadd", q[5], q[5], b)
	f.each("fadd", q[0], q[0], c)
	f.eachLane("fmla", q[5], e, constants, 2)
	f.eachLane("fmla", a, c, constants, 1)
	f.eachLane("fmla", b, e, constants, 0)
	f.freePairs(c, e, q[4])
	return [4]pair{q[0], b, a, q[5]}
}

// columns are the distances in bytes between the points of a tile.
type columns struct {
	down general // six points
	back general // from the end of a column to the next
}

func (f *file) columns() columns {
	point := f.stride("point", 2)
	c := columns{f.new(), f.new()}
	f.line("ADD %v<<1, %v, %v", point, point, c.down)
	f.line("LSL $1, %v", c.down)
	f.line("ADD %v<<2, %v, %v", c.down, c.down, c.back) // 30 points
	f.line("ADD %v<<2, %v, %v", point, c.back, c.back)
	f.line("ADD %v, %v, %v", point, c.back, c.back)
	f.release(point)
	return c
}

// tiles emits a loop over the four tiles of a board. In each iteration, mp is the address of the tile in
// the transformed tensor, where tiles are next bytes apart, and yp its address on the board.
func (f *file) tiles(mp, next, yp, square4 general, body func()) {
	square24 := f.new()
	f.line("ADD %v<<1, %v, %v", square4, square4, square24)
	f.line("LSL $1, %v", square24)
	f.times(2, func() {
		f.times(2, func() {
			body()
			f.line("ADD %v, %v", next, mp)
			f.line("ADD %v, %v", square4, yp)
		})
		f.line("ADD %v, %v", square24, yp)
	})
	f.release(square24)
}

// output transforms the 36 points of the four tiles of a board to its squares, adds the bias and, if
// residual is true, the residual, applies ReLU, and rounds whole numbers.
func (f *file) output(n number, residual bool) {
	f.outputText(n, residual)
	y, m, bias, line := f.pointer("y"), f.pointer("m"), f.pointer("bias"), f.pointer("line")
	groups, points := f.integer("channels"), f.columns()
	next := f.shifted(groups, 2) // from one tile to the next
	square := next
	if n.whole {
		square = f.stride("square", n.shift)
	}
	square4 := f.shifted(square, 2)
	f.line("LSR $3, %v", groups)
	own := &residue{n: n}
	if residual {
		own.distance, own.at = f.pointer("residual"), f.new()
		f.line("SUB %v, %v", y, own.distance)
	}
	constants, zero, add := f.constants(2, 4, 8), f.vector(), f.pair()
	f.zero(zero)
	if residual && n.whole {
		own.ratio, own.per = f.pointer("ratio"), f.pair()
	}
	mp, yp, at, from := f.new(), f.new(), f.new(), f.new()
	f.loop(groups, func() {
		f.loadPairNext(add, bias)
		if own.ratio != 0 {
			f.loadPairNext(own.per, own.ratio)
		}
		f.line("MOVD %v, %v", m, mp)
		f.line("MOVD %v, %v", y, yp)
		f.tiles(mp, next, yp, square4, func() {
			f.line("MOVD %v, %v", mp, at)
			for j := range 6 {
				q := [6]pair(f.pairs(6))
				for _, p := range q {
					f.loadPairStep(p, at, points.down)
				}
				if j < 5 {
					f.line("SUB %v, %v", points.back, at)
				}
				if j == 1 && !n.whole { // the point that all squares have once
					f.each("fadd", q[1], q[1], add)
				}
				ranks := f.gather(q, constants)
				for r, p := range ranks {
					f.storePair(p, line, (r*6+j)*32)
				}
				f.freePairs(ranks[:]...)
			}
			f.line("MOVD %v, %v", line, from)
			f.line("MOVD %v, %v", yp, at)
			own.begin(f, yp)
			for r := range 4 {
				q := [6]pair(f.pairs(6))
				for i := 0; i < 6; i += 2 {
					f.loadTwoNext(q[i], q[i+1], from)
				}
				for _, p := range f.gather(q, constants) {
					if n.whole {
						f.each("fadd", p, p, add)
						own.add(f, p, square)
						f.narrow(p)
						f.three("smax", vec(p), vec(p), zero)
						f.storeWholeStep(p, at, square)
					} else {
						own.add(f, p, square)
						f.eachBy("fmax", p, p, zero)
						f.storePairStep(p, at, square)
					}
					f.freePairs(p)
				}
				if r < 3 {
					f.line("ADD %v, %v", square4, at)
					own.skip(f, square4)
				}
			}
		})
		f.line("ADD $32, %v", m)
		f.line("ADD $%d, %v", 8<<n.shift, y)
	})
	f.end()
}

// residue is the residual of an output, or none if at is 0.
type residue struct {
	n        number
	distance general // from y
	at       general
	ratio    general // of whole numbers
	per      pair
}

func (r *residue) begin(f *file, yp general) {
	if r.at != 0 {
		f.line("ADD %v, %v, %v", r.distance, yp, r.at)
	}
}

func (r *residue) skip(f *file, squares general) {
	if r.at != 0 {
		f.line("ADD %v, %v", squares, r.at)
	}
}

// add adds the residual of a square to p, and moves to the next.
func (r *residue) add(f *file, p pair, square general) {
	if r.at == 0 {
		return
	}
	own := f.pair()
	if r.n.whole {
		f.widenStep(own, "scvtf", r.at, square)
		f.each("fmul", own, own, r.per)
	} else {
		f.loadPairStep(own, r.at, square)
	}
	f.each("fadd", p, p, own)
	f.freePairs(own)
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
