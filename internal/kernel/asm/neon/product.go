package main

import "fmt"

// product multiplies blocks of 4 rows by a panel of n pairs of vectors, [k][8n]. The sums of a
// block stay in registers. A panel of one pair has too few sums in 4 rows to hide the latency of
// the multiply-add, so two blocks are taken at a time. With fused multiply-adds it implements
// product, and else unfusedProduct.
func (f *file) product(n int, fused bool) {
	name, twin := "Product", "product"
	if !fused {
		name, twin = "UnfusedProduct", "unfusedProduct"
	}
	f.text(fmt.Sprint(name, n), "c, a, b []float32, k, blocks, aBlock, cBlock, cRow int",
		fmt.Sprintf("implements %s for a panel of %d columns.", twin, 8*n))
	p := &panel{
		file: f, width: 2 * n, fused: fused,
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
	width               int // vectors
	fused               bool
	a, b, c, k          general
	row                 general // from one row of a to the next
	aBlock, cBlock      general
	cRow, bp, turns     general
	left, right, spares []vec
	sums                [][]vec // by row
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
	p.left, p.right, p.sums = p.some(rows), p.some(2), nil
	if p.width < 6 { // more registers are free
		p.right = append(p.right, p.some(2)...)
	}
	if !p.fused {
		p.spares = p.some(2)
	}
	for range rows {
		p.sums = append(p.sums, p.some(p.width))
	}
	for _, row := range p.sums {
		for _, v := range row {
			p.zero(v)
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
		for j := 0; j < p.width; j += 2 {
			p.storePair(row[j], row[j+1], to, 16*j)
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
		for i := range 4 {
			p.step(i, func(a, b vec, j int) { p.loadPair(a, b, p.bp, 16*(i*p.width+j)) })
		}
		p.line("ADD $%d, %v", 4*16*p.width, p.bp)
	})
	p.label(single)
	p.line("AND $3, %v, %v", p.k, p.turns)
	p.line("CBZ %v, %s", p.turns, store)
	p.loop(p.turns, func() {
		for r, v := range p.left {
			p.line("FMOVS.P 4(%v), F%d", at[r], v)
		}
		p.step(0, func(a, b vec, _ int) { p.loadNextPair(a, b, p.bp) })
	})
	p.label(store)
}

// step multiplies a row of the panel by a lane of the rows.
func (p *panel) step(lane int, load func(a, b vec, j int)) {
	for j := 0; j < p.width; j += 2 {
		pair := p.right[j%len(p.right):][:2]
		load(pair[0], pair[1], j)
		for i, v := range pair {
			for r, row := range p.sums {
				if p.fused {
					p.byLane("fmla", row[j+i], v, p.left[r], lane)
					continue
				}
				spare := p.spares[r%2]
				p.byLane("fmul", spare, v, p.left[r], lane)
				p.three("fadd", row[j+i], row[j+i], spare)
			}
		}
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
	left, right := f.vector(), f.some(2*n)
	var sums [4][]vec
	for r := range sums {
		sums[r] = f.some(2 * n)
	}
	ap, bp, at, bt, to, turns := f.new(), f.new(), f.new(), f.new(), f.new(), f.new()
	panel := func(move func(a, b vec, at general, offset int)) {
		f.line("MOVD %v, %v", c, to)
		for r, row := range sums {
			for j := 0; j < 2*n; j += 2 {
				move(row[j], row[j+1], to, 16*j)
			}
			if r < 3 {
				f.line("ADD %v, %v", cRow, to)
			}
		}
	}
	f.loop(rows, func() {
		panel(f.loadPair)
		f.line("MOVD %v, %v", a, ap)
		f.line("MOVD %v, %v", b, bp)
		f.line("MOVD %v, %v", blocks, turns)
		f.loop(turns, func() {
			f.line("MOVD %v, %v", ap, at)
			f.line("MOVD %v, %v", bp, bt)
			for t := range 4 {
				f.loadStep(left, at, aRow)
				for j := 0; j < 2*n; j += 2 {
					f.loadPair(right[j], right[j+1], bt, 16*j)
				}
				for j, v := range right {
					for r, row := range sums {
						f.byLane("fmla", row[j], v, left, r)
					}
				}
				if t < 3 {
					f.line("ADD %v, %v", bRow, bt)
				}
			}
			f.line("ADD %v, %v", aBlock, ap)
			f.line("ADD %v, %v", bBlock, bp)
		})
		panel(f.storePair)
		f.line("ADD $16, %v", a)
		f.line("ADD %v<<2, %v", cRow, c)
	})
	f.end()
}
