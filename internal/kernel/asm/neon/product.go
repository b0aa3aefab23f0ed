package main

import "fmt"

// product multiplies blocks of 4 rows by a panel of n pairs of vectors, [k][8n]. The sums of a
// block stay in registers. A panel of one pair has too few sums in 4 rows to hide the latency of
// the multiply-add, so two blocks are taken at a time.
func (f *file) product(n int, fused bool) {
	name := "Product"
	if !fused {
		name = "UnfusedProduct"
	}
	f.text(fmt.Sprint(name, n), "c, a, b []float32, k, blocks, aBlock, cBlock, cRow int",
		fmt.Sprintf("implements product for a panel of %d columns.", 8*n))
	p := &panel{
		file: f, width: n, fused: fused,
		a: f.pointer("a"), b: f.pointer("b"), c: f.pointer("c"), k: f.integer("k"), row: f.stride("k", 2),
		aBlock: f.stride("aBlock", 2), cBlock: f.stride("cBlock", 2), cRow: f.stride("cRow", 2),
		bp: f.new(), turns: f.new(),
	}
	blocks := f.integer("blocks")
	if n == 1 {
		f.label("pair")
		f.line("CMP $2, %v", blocks)
		f.line("BLT one")
		p.block(2)
		f.line("SUB $2, %v", blocks)
		f.line("B pair")
	}
	f.label("one")
	f.line("CBZ %v, done", blocks)
	p.block(1)
	f.line("SUB $1, %v", blocks)
	f.line("B one")
	f.label("done")
	f.end()
}

// panel is a product by a panel, and its parameters in bytes.
type panel struct {
	*file
	width           int // pairs
	fused           bool
	a, b, c, k      general
	row             general // from one row of a to the next
	aBlock, cBlock  general
	cRow, bp, turns general
	left, spares    []vec
	right           []pair
	sums            [][]pair // by row
}

// block multiplies one or two blocks of rows, and moves to the next.
func (p *panel) block(blocks int) {
	vectors, registers := p.vectors, p.general
	rows := 4 * blocks
	at := make([]general, rows)
	for r := range at {
		at[r] = p.new()
		if r%4 > 0 {
			p.line("ADD %v, %v, %v", p.row, at[r-1], at[r])
			continue
		}
		p.line("MOVD %v, %v", p.a, at[r])
		p.line("ADD %v, %v", p.aBlock, p.a)
	}
	p.left, p.right, p.sums = p.some(rows), p.pairs(2), nil
	for range rows {
		p.sums = append(p.sums, p.pairs(p.width))
	}
	if !p.fused {
		p.spares = p.some(2)
	}
	for _, row := range p.sums {
		for _, v := range row {
			p.zero(vec(v))
			p.zero(vec(v + 1))
		}
	}
	p.line("MOVD %v, %v", p.b, p.bp)
	p.multiply(at)
	for i, row := range p.sums {
		to := p.bp
		if i%4 == 0 {
			p.line("MOVD %v, %v", p.c, to)
			p.line("ADD %v, %v", p.cBlock, p.c)
		}
		for j, v := range row {
			p.storePair(v, to, 32*j)
		}
		if i%4 < 3 {
			p.line("ADD %v, %v", p.cRow, to)
		}
	}
	p.vectors, p.general = vectors, registers
}

// multiply adds the products of all k numbers of the rows, four at a time and then one at a time.
func (p *panel) multiply(at []general) {
	single, store := fmt.Sprint("single", len(at)), fmt.Sprint("store", len(at))
	p.line("LSR $2, %v, %v", p.k, p.turns)
	p.line("CBZ %v, %s", p.turns, single)
	p.loop(p.turns, func() {
		for r, v := range p.left {
			p.loadNext(v, at[r])
		}
		for i := range 4 * 2 * p.width {
			if i%4 == 0 {
				p.loadTwoNext(p.right[0], p.right[1], p.bp)
			}
			p.column(i%(2*p.width), vec(p.right[i/2%2])+vec(i%2), i/(2*p.width))
		}
	})
	p.label(single)
	p.line("AND $3, %v, %v", p.k, p.turns)
	p.line("CBZ %v, %s", p.turns, store)
	p.loop(p.turns, func() {
		for r, v := range p.left {
			p.line("FMOVS.P 4(%v), F%d", at[r], v)
		}
		for i := range 2 * p.width {
			if i%2 == 0 {
				p.loadPairNext(p.right[0], p.bp)
			}
			p.column(i, vec(p.right[0])+vec(i%2), 0)
		}
	})
	p.label(store)
}

// column multiplies vector i of a row of the panel by a lane of the rows.
func (p *panel) column(i int, v vec, lane int) {
	for r, row := range p.sums {
		sum := vec(row[i/2]) + vec(i%2)
		if p.fused {
			p.byLane("fmla", sum, v, p.left[r], lane)
			continue
		}
		spare := p.spares[r%2]
		p.byLane("fmul", spare, v, p.left[r], lane)
		p.three("fadd", sum, sum, spare)
	}
}

// outer adds the outer products of the rows of a and b to a panel of n pairs of vectors, four rows of
// the panel at a time.
func (f *file) outer(n int) {
	f.text(fmt.Sprintf("Outer%d", n), "c, a, b []float32, rows, blocks, aBlock, bBlock, aRow, bRow, cRow int",
		fmt.Sprintf("implements outer for a panel of %d columns.", 8*n))
	a, b, c, rows, blocks := f.pointer("a"), f.pointer("b"), f.pointer("c"), f.integer("rows"), f.integer("blocks")
	aBlock, bBlock := f.stride("aBlock", 2), f.stride("bBlock", 2)
	aRow, bRow, cRow := f.stride("aRow", 2), f.stride("bRow", 2), f.stride("cRow", 2)
	f.line("LSR $2, %v", rows)
	left, right := f.vector(), f.pairs(n)
	var sums [4][]pair
	for r := range sums {
		sums[r] = f.pairs(n)
	}
	at, bt, to, turns := f.new(), f.new(), f.new(), f.new()
	// From the end of a block to the next, and from that of the first four vectors of b to the next row.
	f.line("SUB %v<<2, %v", aRow, aBlock)
	f.line("SUB %v<<2, %v", bRow, bBlock)
	rest := f.new()
	f.line("SUB $64, %v, %v", bRow, rest)
	panel := func(move func(p pair, at general, offset int)) {
		f.line("MOVD %v, %v", c, to)
		for r, row := range sums {
			for j, p := range row {
				move(p, to, 32*j)
			}
			if r < 3 {
				f.line("ADD %v, %v", cRow, to)
			}
		}
	}
	f.loop(rows, func() {
		panel(f.loadPair)
		f.line("MOVD %v, %v", a, at)
		f.line("MOVD %v, %v", b, bt)
		f.line("MOVD %v, %v", blocks, turns)
		f.loop(turns, func() {
			for range 4 {
				f.loadStep(left, at, aRow)
				switch n {
				case 1:
					f.loadPairStep(right[0], bt, bRow)
				case 2:
					f.loadTwoStep(right[0], right[1], bt, bRow)
				case 3:
					f.loadTwoNext(right[0], right[1], bt)
					f.loadPairStep(right[2], bt, rest)
				}
				for j, p := range right {
					for r, row := range sums {
						f.eachLane("fmla", row[j], p, left, r)
					}
				}
			}
			f.line("ADD %v, %v", aBlock, at)
			f.line("ADD %v, %v", bBlock, bt)
		})
		panel(f.storePair)
		f.line("ADD $16, %v", a)
		f.line("ADD %v<<2, %v", cRow, c)
	})
	f.end()
}
