package ptx

import (
	"math"
	"slices"
)

// mov compiles moves, also those that pack registers into a wider one or unpack it.
func (c *compiler) mov() func(*warp, uint32) {
	c.only("to", "global", "shared", "shared::cta")
	t := c.typ()
	if !c.need(2) {
		return nil
	}
	to, from := c.operands[0], c.operands[1]
	switch {
	case t == pred:
		return c.logic()
	case to.kind == list:
		return c.unpack(to.list, c.source(from, t), t)
	case from.kind == list:
		return c.pack(c.register(to), from.list, t)
	}
	if t.float() && from.kind == name {
		return c.unknown()
	}
	d, s := c.register(to), c.source(from, t)
	return func(w *warp, mask uint32) {
		a, b := &w.registers[d], s.of(w)
		if mask == math.MaxUint32 {
			*a = *b
			return
		}
		for ; mask != 0; mask &= mask - 1 {
			i := first(mask)
			a[i] = b[i]
		}
	}
}

func (c *compiler) pack(d int, from []operand, t typ) func(*warp, uint32) {
	var parts []source
	for _, o := range from {
		parts = append(parts, c.source(o, t))
	}
	width := 8 * t.bytes() / len(parts)
	return func(w *warp, mask uint32) {
		to := &w.registers[d]
		for ; mask != 0; mask &= mask - 1 {
			i := first(mask)
			var v uint64
			for j, p := range parts {
				v |= p.of(w)[i] << (j * width)
			}
			to[i] = v
		}
	}
}

func (c *compiler) unpack(to []operand, from source, t typ) func(*warp, uint32) {
	width := 8 * t.bytes() / len(to)
	registers := make([]int, len(to))
	for i, o := range to {
		registers[i] = -1
		if o.kind != sink {
			registers[i] = c.register(o)
		}
	}
	return func(w *warp, mask uint32) {
		values := *from.of(w)
		for ; mask != 0; mask &= mask - 1 {
			i := first(mask)
			for j, r := range registers {
				if r >= 0 {
					w.registers[r][i] = values[i] >> (j * width) & (1<<width - 1)
				}
			}
		}
	}
}

// cvt compiles conversions.
func (c *compiler) cvt() func(*warp, uint32) {
	c.only("rn", "rzi")
	if len(c.parts) < 3 || len(c.operands) < 2 {
		return c.unknown()
	}
	to, ok := typeOf(c.parts[len(c.parts)-2])
	from := c.typ()
	if !ok {
		return c.unknown()
	}
	d := c.register(c.operands[0])
	a := c.source(c.operands[1], from)
	if to == f16x2 || to == bf16x2 {
		return c.narrowPair(d, a, to, from)
	}
	f := c.conversion(to, from)
	if f == nil {
		return c.unknown()
	}
	// A register may be wider than the type.
	width := c.body.kernel.widths[d]
	return func(w *warp, mask uint32) {
		x, y := a.of(w), &w.registers[d]
		for ; mask != 0; mask &= mask - 1 {
			i := first(mask)
			y[i] = width.cut(to.extend(f(x[i])))
		}
	}
}

func (c *compiler) conversion(to, from typ) func(uint64) uint64 {
	rounding := c.parts[1]
	switch {
	case !to.float() && !from.float():
		return func(v uint64) uint64 { return from.extend(v) }
	case to.float() && !from.float() && rounding == "rn" && from.bytes() <= 4:
		return func(v uint64) uint64 {
			if from.signed() {
				return to.store(float64(int64(from.extend(v))))
			}
			return to.store(float64(from.extend(v)))
		}
	case to.float() && from.float():
		if to.bytes() < from.bytes() && rounding != "rn" {
			return nil
		}
		return func(v uint64) uint64 { return to.store(from.value(v)) }
	}
	if rounding != "rzi" || to.float() || to.bytes() > 4 {
		return nil
	}
	low, high := 0.0, math.Ldexp(1, 8*to.bytes())-1
	if to.signed() {
		low, high = -math.Ldexp(1, 8*to.bytes()-1), math.Ldexp(1, 8*to.bytes()-1)-1
	}
	return func(v uint64) uint64 {
		f := from.value(v)
		if f != f {
			return 0
		}
		return uint64(int64(max(low, min(high, math.Trunc(f)))))
	}
}

// narrowPair packs two rounded numbers into a register, the first into the upper half.
func (c *compiler) narrowPair(d int, upper source, to, from typ) func(*warp, uint32) {
	if !c.need(3) || from != f32 || !slices.Equal(c.parts[1:2], []string{"rn"}) {
		return c.unknown()
	}
	lower := c.source(c.operands[2], from)
	round := toHalf
	if to == bf16x2 {
		round = toBF16
	}
	return func(w *warp, mask uint32) {
		x, y, z := upper.of(w), lower.of(w), &w.registers[d]
		for ; mask != 0; mask &= mask - 1 {
			i := first(mask)
			z[i] = uint64(round(f32.value(x[i])))<<16 | uint64(round(f32.value(y[i])))
		}
	}
}
