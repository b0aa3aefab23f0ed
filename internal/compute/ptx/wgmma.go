package ptx

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// warpgroup is four warps that multiply together.
type warpgroup struct {
	multiplications map[int]*multiplication // by number, until all four warps have waited
}

// multiplication is a wgmma.mma_async in flight.
type multiplication struct {
	product *product
	a, b    uint64
	add     bool // to the accumulators
	came    int  // warps
	left    int  // warps that have waited for it
	view    *view
	clock   uint32
	done    bool
}

// product is the form of a wgmma.mma_async: d[64][n] = a[64][k] b[n][k] + d.
type product struct {
	pc     int // of the instruction
	form   string
	n      int
	types  [3]typ // of d, a, b
	d      []int
	a      []int  // registers, if a does not come from shared memory
	uses   []bool // whether a register is one of d and a
	across bool   // b has the index of the sum as the slow one (MN-major)
}

// wgmma compiles the instructions of warpgroups.
func (c *compiler) wgmma() func(*warp, uint32) {
	c.out.together = true
	if len(c.parts) < 4 || c.parts[2] != "sync" || c.parts[3] != "aligned" {
		return c.unknown()
	}
	switch c.parts[1] {
	case "fence":
		return func(w *warp, _ uint32) { w.fenced = true }
	case "commit_group":
		return func(w *warp, _ uint32) {
			w.fenced = false
			w.commits = append(w.commits, w.issued)
		}
	case "wait_group":
		if !c.need(1) || c.operands[0].kind != immediate {
			return c.unknown()
		}
		n := int(c.operands[0].value)
		return func(w *warp, _ uint32) { w.waitGroup(n) }
	case "mma_async":
		return c.multiply()
	}
	return c.unknown()
}

// multiply compiles wgmma.mma_async.
func (c *compiler) multiply() func(*warp, uint32) {
	p := c.product()
	if p == nil || c.err != nil {
		return c.unknown()
	}
	c.out.holds = slices.Concat(p.d, p.a)
	p.uses = make([]bool, c.body.kernel.registers)
	for _, r := range c.out.holds {
		p.uses[r] = true
	}
	add := c.truth(c.operands[3])
	b := c.source(c.operands[2], b64)
	a := constant(0)
	if p.a == nil {
		a = c.source(c.operands[1], b64)
	}
	return func(w *warp, mask uint32) {
		truth := add(w)
		if !uniform(a.of(w), mask) || !uniform(b.of(w), mask) || truth != 0 && truth != math.MaxUint32 {
			w.faultf(mask, "the threads of a warp give different descriptors or scales")
			return
		}
		w.multiply(p, a.of(w)[0], b.of(w)[0], truth != 0)
	}
}

// product reads the form and the registers.
func (c *compiler) product() *product {
	if len(c.parts) != 8 || len(c.operands) < 4 || c.operands[0].kind != list {
		return nil
	}
	p := &product{pc: c.pc, form: strings.Join(c.parts[4:], ".")}
	for i := range p.types {
		p.types[i], _ = typeOf(c.parts[5+i])
	}
	shape, ok := strings.CutPrefix(c.parts[4], "m64n")
	columns, k, _ := strings.Cut(shape, "k")
	n, err := strconv.Atoi(columns)
	whole := p.types == [3]typ{s32, s8, u8} && k == "32"
	half := p.types[0] == f32 && k == "16" && (p.types[1] == f16 || p.types[1] == bf16) && p.types[2] == p.types[1]
	if !ok || err != nil || n%8 != 0 || n < 8 || n > 256 || !whole && !half {
		return nil
	}
	p.n = n
	for _, o := range c.operands[0].list {
		p.d = append(p.d, c.register(o))
	}
	if c.operands[1].kind == list {
		for _, o := range c.operands[1].list {
			p.a = append(p.a, c.source(o, b32).register)
		}
		if len(p.a) != 4 || slices.Contains(p.a, -1) {
			return nil
		}
	}
	rest := c.operands[4:]
	if len(p.d) != n/2 || whole && len(rest) > 0 {
		return nil
	}
	if half {
		want := []uint64{1, 1, 0} // signs, and whether a is MN-major
		if p.a != nil {
			want = want[:2]
		}
		if len(rest) != len(want)+1 {
			return nil
		}
		for i, v := range want {
			if rest[i].kind != immediate || rest[i].value != v {
				return nil
			}
		}
		last := rest[len(want)]
		if last.kind != immediate || last.value > 1 {
			return nil
		}
		p.across = last.value == 1
	}
	return p
}

// group returns the warpgroup of a warp.
func (w *warp) group() *warpgroup { return &w.block.warpgroups[w.number/4] }

// multiply begins a multiplication, or joins the one that another warp has begun.
func (w *warp) multiply(p *product, a, b uint64, add bool) {
	if w.number/4 >= len(w.block.warpgroups) {
		w.faultf(1, "the warp is not one of four")
		return
	}
	g := w.group()
	m := g.multiplications[w.issued]
	if m == nil {
		m = &multiplication{product: p, a: a, b: b, add: add, view: w.block.views[32*w.number].clone()}
		g.multiplications[w.issued] = m
	}
	if err := w.allowed(m, p, a, b, add); err != nil {
		w.fault(0, err)
		return
	}
	var last *view
	for lane := range 32 {
		if v := w.block.views[32*w.number+lane]; v != last {
			last = v
			m.view.meet(v)
		}
	}
	w.lock(p, 1)
	w.issued++
	m.came++
	if m.came == 4 {
		w.checkOperands(m)
		for i := range 4 {
			w.block.warps[w.number&^3+i].wake(multiplied, 0)
		}
	}
}

// lock counts an operation in flight for its registers, or one less.
func (w *warp) lock(p *product, by int) {
	for _, r := range p.d {
		w.inFlight[r] += by
	}
	for _, r := range p.a {
		w.inFlight[r] += by
	}
}

// allowed returns an error if a warp may not begin a multiplication now.
func (w *warp) allowed(m *multiplication, p *product, a, b uint64, add bool) error {
	if m.product.pc != p.pc || m.a != a || m.b != b || m.add != add {
		return fmt.Errorf("the warps of a warpgroup execute different wgmma")
	}
	if !w.fenced {
		return fmt.Errorf("no wgmma.fence lies between this and the first wgmma, the last commit_group, or a use of its registers")
	}
	for i := w.done; i < w.issued; i++ {
		other := w.group().multiplications[i].product
		if other == p || other.form == p.form && slices.Equal(other.d, p.d) {
			continue
		}
		for _, r := range other.d {
			if p.uses[r] {
				return fmt.Errorf("it shares registers with a wgmma of another shape in flight")
			}
		}
	}
	if add {
		for _, r := range p.d {
			if w.defined[r] != math.MaxUint32 {
				return fmt.Errorf("it adds to a register that was never written")
			}
		}
	}
	return nil
}

// checkOperands checks that what all four warps have seen includes the writes of the operands.
func (w *warp) checkOperands(m *multiplication) {
	b := w.block
	party := b.parties.multiplier(w.number &^ 3)
	m.clock = b.clocks[party]
	b.clocks[party]++
	o := &observer{party: party, clock: m.clock, view: m.view, async: true}
	check := func(address uint64, _, _ int) error {
		_, err := b.shared.load(o, address, 16, 16)
		return err
	}
	var err error
	if m.product.a == nil {
		err = units(m.a, 64, false, check)
	}
	if err == nil {
		err = units(m.b, m.product.n, m.product.across, check)
	}
	if err != nil {
		w.fault(0, err)
	}
}

// waitGroup waits until at most n of the warp's groups are in flight.
func (w *warp) waitGroup(n int) {
	if len(w.commits) <= n {
		return
	}
	g := w.group()
	until := w.commits[len(w.commits)-1-n]
	for i := w.done; i < until; i++ {
		if g.multiplications[i].came < 4 {
			w.sleep(multiplied, 0)
			return
		}
	}
	seen := w.block.parties.view()
	for ; w.done < until; w.done++ {
		m := g.multiplications[w.done]
		if !m.done {
			m.done = true
			w.execute(m)
		}
		w.lock(m.product, -1)
		seen.seen[w.block.parties.multiplier(w.number)] = m.clock
		if m.left++; m.left == 4 {
			delete(g.multiplications, w.done)
		}
	}
	w.acquire(math.MaxUint32, seen)
	w.commits = slices.Delete(w.commits, 0, len(w.commits)-n)
}
