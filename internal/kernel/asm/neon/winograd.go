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
// others in the first tile and after them in the second. The constants are 4 and 5. The squares are
// overwritten.
func (f *file) spread(x [8]pair, constants vec, store func(tile, i int, v pair)) {
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
		f.each("fadd", e, e, e)
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
	constants := f.constants(4, 5, 3)
	var high, base vec
	if n.whole {
		high, base = f.duplicated(base18, "H8"), f.duplicated(base18<<16, "S4")
	}
	at, to, lp, left, right, start := f.new(), f.new(), f.new(), f.new(), f.new(), f.new()
	f.loop(groups, func() {
		f.line("MOVD %v, %v", x, start)
		f.line("MOVD %v, %v", line, lp)
		f.times(8, func() {
			f.line("MOVD %v, %v", start, at)
			f.line("MOVD %v, %v", lp, to)
			for _, p := range squares {
				if n.whole {
					f.raiseStep(p, high, at, rank)
				} else {
					f.loadPairStep(p, at, rank)
				}
			}
			store := func(_, _ int, v pair) { f.storePairStep(v, to, step) }
			if n.whole {
				f.wholeSpread(squares, constants, func(all ...pair) {
					for _, p := range all {
						f.eachBy("fsub", p, p, base)
					}
				}, store)
			} else {
				f.spread(squares, constants, store)
			}
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
				tiles := []general{left, right}
				if n.whole {
					f.wholeSpread(squares, constants, func(...pair) {}, func(tile, _ int, v pair) {
						f.narrow(v)
						f.storeWholeStep(v, tiles[tile], point)
					})
				} else {
					f.spread(squares, constants, func(tile, _ int, v pair) { f.storePairStep(v, tiles[tile], point) })
				}
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

// walk is the way of a pointer over lines of numbers, as distances in bytes.
type walk struct {
	n    int     // numbers in a line
	step general // from a number to the next
	turn general // from the last of a line to the first of the next
}

// walk returns the way over lines of n numbers whose first ones are next apart.
func (f *file) walk(n int, step, next general) walk {
	turn := f.new()
	f.line("MOVD $%d, %v", n-1, turn)
	f.line("MSUB %v, %v, %v, %v", turn, next, step, turn)
	return walk{n, step, turn}
}

// after returns the distance after the number i.
func (w walk) after(i int) general {
	if i%w.n == w.n-1 {
		return w.turn
	}
	return w.step
}

// columns is the way over the columns of a tile's points.
func (f *file) columns() walk {
	point, down := f.stride("point", 2), f.new()
	f.line("ADD %v<<1, %v, %v", point, point, down)
	f.line("LSL $1, %v", down)
	defer f.release(point)
	return f.walk(6, down, point)
}

// ranks is the way over the squares of a tile, of which a board has two beside each other.
func (f *file) ranks(square general) walk {
	rank := f.shifted(square, 3)
	defer f.release(rank)
	return f.walk(4, square, rank)
}

// tiles emits a loop over the four tiles of a board. In each iteration, mp is the address of the tile in
// the transformed tensor, where tiles are next bytes apart, and yp its address on the board.
func (f *file) tiles(mp, next, yp, square general, body func()) {
	beside, below := f.shifted(square, 2), f.new()
	f.line("ADD %v<<1, %v, %v", beside, beside, below)
	f.line("LSL $1, %v", below)
	f.times(2, func() {
		f.times(2, func() {
			body()
			f.line("ADD %v, %v", next, mp)
			f.line("ADD %v, %v", beside, yp)
		})
		f.line("ADD %v, %v", below, yp)
	})
	f.release(beside, below)
}

// spilled are the columns of a tile that output keeps in memory between its two passes. The registers
// have room for the others.
const spilled = 4

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
	ranks := f.ranks(square)
	f.line("LSR $3, %v", groups)
	own := &residue{n: n}
	if residual {
		own.distance, own.at = f.pointer("residual"), f.new()
		f.line("SUB %v, %v", y, own.distance)
	}
	constants, add := f.constants(2, 4, 8, -1<<23), f.pair()
	var zero vec
	if !n.whole {
		zero = f.vector()
		f.zero(zero)
	}
	if residual && n.whole {
		// The table follows the columns in memory.
		own.ratios, own.ratio, own.high, own.table = f.pointer("ratio"), f.pair(), f.duplicated(base23, "H8"), f.new()
		f.line("ADD $%d, %v, %v", 4*spilled*32, line, own.table)
	}
	mp, yp, at, from := f.new(), f.new(), f.new(), f.new()
	f.loop(groups, func() {
		f.loadPairNext(add, bias)
		if own.table != 0 {
			base := f.pair()
			f.loadPairNext(own.ratio, own.ratios)
			f.eachLane("fmul", base, own.ratio, constants, 3)
			f.storePair(base, own.table, 0)
			f.storePair(base, own.table, 32)
			f.freePairs(base)
		}
		f.line("MOVD %v, %v", m, mp)
		f.line("MOVD %v, %v", y, yp)
		f.tiles(mp, next, yp, square, func() {
			f.line("MOVD %v, %v", mp, at)
			var columns [6][4]pair
			for j := range columns {
				q := [6]pair(f.pairs(6))
				for i, p := range q {
					f.loadPairStep(p, at, points.after(i))
				}
				if j == 1 && !n.whole { // the point that all squares have once
					f.each("fadd", q[1], q[1], add)
				}
				columns[j] = f.gather(q, constants)
				if j < spilled {
					for r, p := range columns[j] {
						f.storePair(p, line, (r*spilled+j)*32)
					}
					f.freePairs(columns[j][:]...)
				}
			}
			f.line("MOVD %v, %v", line, from)
			f.line("MOVD %v, %v", yp, at)
			own.begin(f, yp)
			for r := range 4 {
				q := [6]pair{4: columns[4][r], 5: columns[5][r]}
				for i := 0; i < spilled; i += 2 {
					q[i], q[i+1] = f.twoPairs()
					f.loadTwoNext(q[i], q[i+1], from)
				}
				squares := f.gather(q, constants)
				if n.whole {
					for _, p := range squares {
						f.each("fadd", p, p, add)
					}
				}
				own.add(f, squares, ranks)
				for i, p := range squares {
					if n.whole {
						f.narrow(p)
						f.two("sqshlu", vec(p), vec(p)) // negative numbers become 0
						f.storeWholeStep(p, at, ranks.after(i))
					} else {
						f.eachBy("fmax", p, p, zero)
						f.storePairStep(p, at, ranks.after(i))
					}
					f.freePairs(p)
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

	// A residual of whole numbers is the ratio times 2^23 plus the number, less the ratio times 2^23. It is rounded
	// once, like the ratio times the number. The ratio must be below 2^104.
	ratios general
	ratio  pair
	high   vec     // the high halves of 2^23
	table  general // address of the ratio times -2^23, twice
}

func (r *residue) begin(f *file, yp general) {
	if r.at != 0 {
		f.line("ADD %v, %v, %v", r.distance, yp, r.at)
	}
}

// add adds the residual to the squares of a rank of a tile, and moves to the next rank.
func (r *residue) add(f *file, squares [4]pair, ranks walk) {
	if r.at == 0 {
		return
	}
	var own [4]pair
	for i, p := range squares {
		if !r.n.whole {
			own[i] = f.pair()
			f.loadPairStep(own[i], r.at, ranks.after(i))
		} else {
			if i%2 == 0 {
				own[i], own[i+1] = f.twoPairs()
				f.line("VLD1 (%v), %s", r.table, neighbours(own[i], own[i+1]))
			}
			x := f.pair()
			f.raiseStep(x, r.high, r.at, ranks.after(i))
			f.each("fmla", own[i], x, r.ratio)
			f.freePairs(x)
		}
		f.each("fadd", p, p, own[i])
		f.freePairs(own[i])
	}
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
