package ptx

import "math"

// arithmetic compiles an instruction that computes each lane of one register from up to three
// values.
func (c *compiler) arithmetic() func(*warp, uint32) {
	c.only("rn", "lo", "hi", "wide", "NaN")
	t := c.typ()
	if t == pred {
		return c.logic()
	}
	if len(c.operands) < 2 || len(c.operands) > 4 {
		return c.unknown()
	}
	if c.parts[0] == "selp" {
		return c.selp(t)
	}
	f := c.function(t)
	if f == nil {
		return c.unknown()
	}
	d := c.register(c.operands[0])
	var values [3]source
	for i := range values {
		values[i] = constant(0)
		if i+1 < len(c.operands) {
			values[i] = c.source(c.operands[i+1], b64)
		}
	}
	return func(w *warp, mask uint32) {
		a, b, e, to := values[0].of(w), values[1].of(w), values[2].of(w), &w.registers[d]
		for ; mask != 0; mask &= mask - 1 {
			i := first(mask)
			to[i] = f(a[i], b[i], e[i])
		}
	}
}

// function returns what an instruction computes, nil if it is not known.
func (c *compiler) function(t typ) func(a, b, e uint64) uint64 {
	switch {
	case t == f32:
		return c.floating()
	case t.float():
		return nil
	}
	if f := c.bitwise(t); f != nil {
		return f
	}
	return c.integer(t)
}

// floating returns an operation on numbers in fp32. As fp64 its results are exact or rounded correctly, except those of
// fma.
func (c *compiler) floating() func(a, b, e uint64) uint64 {
	number := func(v uint64) float64 { return float64(math.Float32frombits(uint32(v))) }
	of := func(f func(a, b float64) float64) func(a, b, e uint64) uint64 {
		return func(a, b, _ uint64) uint64 { return uint64(single(float32(f(number(a), number(b))))) }
	}
	switch c.parts[0] {
	case "add":
		return of(func(a, b float64) float64 { return a + b })
	case "sub":
		return of(func(a, b float64) float64 { return a - b })
	case "mul":
		return of(func(a, b float64) float64 { return a * b })
	case "div":
		return of(func(a, b float64) float64 { return a / b })
	case "fma":
		return func(a, b, e uint64) uint64 { return uint64(single(float32(fused(number(a), number(b), number(e))))) }
	case "sqrt":
		return of(func(a, _ float64) float64 { return math.Sqrt(a) })
	case "rcp":
		return of(func(a, _ float64) float64 { return 1 / a })
	case "neg":
		return func(a, _, _ uint64) uint64 { return a ^ 1<<31 }
	case "min":
		return of(c.order(math.Min))
	case "max":
		return of(c.order(math.Max))
	}
	return nil
}

// order is a minimum or maximum, which is a NaN if one number is and the suffix .NaN is there,
// and the other number if it is not.
func (c *compiler) order(f func(a, b float64) float64) func(a, b float64) float64 {
	keep := c.has("NaN")
	return func(a, b float64) float64 {
		switch {
		case keep && (a != a || b != b):
			return math.NaN()
		case a != a:
			return b
		case b != b:
			return a
		}
		return f(a, b)
	}
}

// fused returns a*b+e so that rounding it to fp32 gives what rounding the exact result would. The product is exact in
// fp64. The sum is rounded to odd.
func fused(a, b, e float64) float64 {
	product := float64(a * b)
	sum := product + e
	rest := sum - product
	lost := (product - (sum - rest)) + (e - rest) // by Knuth, exactly
	if lost != 0 && math.Float64bits(sum)&1 == 0 && !math.IsInf(sum, 0) && sum == sum {
		towards := math.Inf(1)
		if lost < 0 {
			towards = math.Inf(-1)
		}
		return math.Nextafter(sum, towards)
	}
	return sum
}

// integer returns an operation on whole numbers of type t.
func (c *compiler) integer(t typ) func(a, b, e uint64) uint64 {
	cut, x := t.cut, t.extend
	wide := c.has("wide")
	switch c.parts[0] {
	case "add":
		return func(a, b, _ uint64) uint64 { return cut(a + b) }
	case "sub":
		return func(a, b, _ uint64) uint64 { return cut(a - b) }
	case "neg":
		return func(a, _, _ uint64) uint64 { return cut(-a) }
	case "mul", "mad":
		if wide {
			return c.wide(t)
		}
		if c.has("hi") {
			if c.parts[0] == "mad" || t.bytes() == 8 {
				return nil
			}
			return func(a, b, _ uint64) uint64 { return cut(x(a) * x(b) >> (8 * t.bytes())) }
		}
		return func(a, b, e uint64) uint64 { return cut(a*b + e) }
	case "div", "rem":
		return quotient(t, c.parts[0] == "rem")
	case "min", "max":
		less := func(a, b uint64) bool { return x(a) < x(b) }
		if t.signed() {
			less = func(a, b uint64) bool { return int64(x(a)) < int64(x(b)) }
		}
		isMin := c.parts[0] == "min"
		return func(a, b, _ uint64) uint64 {
			if less(a, b) == isMin {
				return cut(a)
			}
			return cut(b)
		}
	}
	return nil
}

// wide returns a product, or a product and a sum, of twice the width.
func (c *compiler) wide(t typ) func(a, b, e uint64) uint64 {
	double := map[typ]typ{s16: s32, u16: u32, s32: s64, u32: u64}
	to, ok := double[t]
	if !ok {
		return nil
	}
	return func(a, b, e uint64) uint64 { return to.cut(t.extend(a)*t.extend(b) + e) }
}

// quotient divides. What PTX leaves open, a division by zero, gives all ones.
func quotient(t typ, remainder bool) func(a, b, e uint64) uint64 {
	return func(a, b, _ uint64) uint64 {
		a, b = t.extend(a), t.extend(b)
		switch {
		case b == 0:
			return t.cut(math.MaxUint64)
		case t.signed() && remainder:
			return t.cut(uint64(int64(a) % int64(b)))
		case t.signed():
			return t.cut(uint64(int64(a) / int64(b)))
		case remainder:
			return a % b
		}
		return a / b
	}
}

// bitwise returns an operation on bits.
func (c *compiler) bitwise(t typ) func(a, b, e uint64) uint64 {
	switch c.parts[0] {
	case "and":
		return func(a, b, _ uint64) uint64 { return t.cut(a & b) }
	case "or":
		return func(a, b, _ uint64) uint64 { return t.cut(a | b) }
	case "xor":
		return func(a, b, _ uint64) uint64 { return t.cut(a ^ b) }
	case "not":
		return func(a, _, _ uint64) uint64 { return t.cut(^a) }
	case "shl":
		return func(a, b, _ uint64) uint64 { return t.cut(a << (b & 0xffffffff)) }
	case "shr":
		if t.signed() {
			return func(a, b, _ uint64) uint64 { return t.cut(uint64(int64(t.extend(a)) >> (b & 0xffffffff))) }
		}
		return func(a, b, _ uint64) uint64 { return t.cut(a) >> (b & 0xffffffff) }
	case "prmt":
		if len(c.parts) != 2 {
			return nil
		}
		return permute
	case "bfe":
		if t.signed() {
			return nil
		}
		return func(a, b, e uint64) uint64 { return t.cut(a) >> (b & 255) & (1<<(e&255) - 1) }
	}
	return nil
}

// permute is prmt.b32 in its default mode: each of four nibbles selects a byte of the two numbers,
// or its sign.
func permute(a, b, selector uint64) uint64 {
	both := a&0xffffffff | b<<32
	var out uint64
	for i := range 4 {
		s := selector >> (4 * i) & 15
		v := both >> (8 * (s & 7)) & 255
		if s&8 != 0 {
			v = uint64(int64(int8(v))>>7) & 255
		}
		out |= v << (8 * i)
	}
	return out
}
