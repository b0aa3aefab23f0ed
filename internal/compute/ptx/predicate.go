package ptx

import (
	"math"
	"slices"
)

// selp chooses between two values by a predicate.
func (c *compiler) selp(t typ) func(*warp, uint32) {
	if !c.need(4) {
		return nil
	}
	d, p := c.register(c.operands[0]), c.test(c.operands[3])
	yes, no := c.source(c.operands[1], t), c.source(c.operands[2], t)
	return func(w *warp, mask uint32) {
		to, y, n, chosen := &w.registers[d], yes.of(w), no.of(w), w.predicates[p]
		for ; mask != 0; mask &= mask - 1 {
			i := first(mask)
			if chosen>>i&1 != 0 {
				to[i] = y[i]
			} else {
				to[i] = n[i]
			}
		}
	}
}

// logic compiles operations on predicates.
func (c *compiler) logic() func(*warp, uint32) {
	if len(c.operands) < 2 {
		return c.unknown()
	}
	d, a := c.predicate(c.operands[0]), c.truth(c.operands[1])
	b := func(*warp) uint32 { return 0 }
	if len(c.operands) == 3 {
		b = c.truth(c.operands[2])
	}
	f, ok := map[string]func(a, b uint32) uint32{
		"and": func(a, b uint32) uint32 { return a & b },
		"or":  func(a, b uint32) uint32 { return a | b },
		"xor": func(a, b uint32) uint32 { return a ^ b },
		"not": func(a, _ uint32) uint32 { return ^a },
		"mov": func(a, _ uint32) uint32 { return a },
	}[c.parts[0]]
	if !ok {
		return c.unknown()
	}
	return func(w *warp, mask uint32) { w.decide(d, mask, f(a(w), b(w))) }
}

// truth returns a predicate, its negation, or a constant, in all lanes.
func (c *compiler) truth(o operand) func(*warp) uint32 {
	if o.kind == immediate {
		v := -uint32(min(o.value, 1))
		return func(*warp) uint32 { return v }
	}
	p, flip := c.test(o), uint32(0)
	if o.negated {
		flip = math.MaxUint32
	}
	return func(w *warp) uint32 { return w.predicates[p] ^ flip }
}

// setp compiles a comparison.
func (c *compiler) setp() func(*warp, uint32) {
	if !c.need(3) || len(c.parts) != 3 {
		return c.unknown()
	}
	t := c.typ()
	d := c.predicate(c.operands[0])
	a, b := c.source(c.operands[1], t), c.source(c.operands[2], t)
	f := comparison(c.parts[1], t)
	if f == nil {
		return c.unknown()
	}
	return func(w *warp, mask uint32) {
		x, y := a.of(w), b.of(w)
		var truth uint32
		for i := range 32 {
			if f(x[i], y[i]) {
				truth |= 1 << i
			}
		}
		w.decide(d, mask, truth)
	}
}

// comparison returns the comparison with a name such as "lt". Those of floating-point numbers that
// end with u are also true if one is a NaN.
func comparison(name string, t typ) func(a, b uint64) bool {
	var order func(a, b uint64) (int, bool)
	switch {
	case t.float():
		order = func(a, b uint64) (int, bool) {
			x, y := t.value(a), t.value(b)
			return compared(x, y), x == x && y == y
		}
	case t.signed():
		order = func(a, b uint64) (int, bool) { return compared(int64(t.extend(a)), int64(t.extend(b))), true }
	default:
		order = func(a, b uint64) (int, bool) { return compared(t.cut(a), t.cut(b)), true }
	}
	if name == "nan" {
		return func(a, b uint64) bool { _, ok := order(a, b); return !ok }
	}
	unordered := t.float() && len(name) == 3
	if unordered {
		name = name[:2]
	}
	wanted, ok := map[string][]int{"eq": {0}, "ne": {-1, 1}, "lt": {-1}, "le": {-1, 0}, "gt": {1}, "ge": {0, 1}}[name]
	if !ok {
		return nil
	}
	var yes [3]bool
	for i := range yes {
		yes[i] = slices.Contains(wanted, i-1)
	}
	return func(a, b uint64) bool {
		sign, ok := order(a, b)
		if !ok {
			return unordered
		}
		return yes[sign+1]
	}
}

func compared[T int64 | uint64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
