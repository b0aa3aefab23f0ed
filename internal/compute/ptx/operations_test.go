package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"warren/internal/compute/ptx"
)

// results runs an instruction such as "add.u32 %d, %a, %b;" for each set of operands a, b, c in
// registers of a type, and returns %d, which has the type of the result.
func results(t *testing.T, instruction, from, to string, operands [][3]uint64) []uint64 {
	t.Helper()
	text := fmt.Sprintf(`.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y) {
	.reg .%s %%a, %%b, %%c;
	.reg .%s %%d;
	.reg .b64 %%x, %%y;
	.reg .b32 %%t;
	.reg .pred %%p, %%q;
	mov.u32 %%t, %%tid.x;
	ld.param.u64 %%x, [x];
	ld.param.u64 %%y, [y];
	mad.wide.u32 %%x, %%t, 24, %%x;
	mad.wide.u32 %%y, %%t, 8, %%y;
	ld.global.%s %%a, [%%x];
	ld.global.%s %%b, [%%x+8];
	ld.global.%s %%c, [%%x+16];
	%s
	st.global.%s [%%y], %%d;
	ret;
}`, from, to, bitsOf(from), bitsOf(from), bitsOf(from), instruction, bitsOf(to))
	m, err := ptx.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", instruction, err)
	}
	memory := ptx.NewMemory()
	xAt, x := memory.Allocate(24 * len(operands))
	yAt, y := memory.Allocate(8 * len(operands))
	clear(y)
	for i, set := range operands {
		for j, v := range set {
			binary.LittleEndian.PutUint64(x[24*i+8*j:], v)
		}
	}
	if err := m.Run(memory, ptx.Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Threads: len(operands), Arguments: []any{xAt, yAt}}); err != nil {
		t.Fatalf("%s: %v", instruction, err)
	}
	all := make([]uint64, len(operands))
	for i := range all {
		all[i] = binary.LittleEndian.Uint64(y[8*i:])
	}
	return all
}

func bitsOf(t string) string { return "b" + strings.TrimLeft(t, "bfsu") }

// TestIntegers computes with whole numbers whose results are known.
func TestIntegers(t *testing.T) {
	const minus = 0xffffffff
	for _, c := range []struct {
		instruction, from, to string
		a, b, c, want         uint64
	}{
		{"add.s32 %d, %a, %b;", "b32", "b32", minus, 3, 0, 2},
		{"add.u32 %d, %a, -1;", "b32", "b32", 0, 0, 0, minus},
		{"sub.s16 %d, %a, %b;", "b16", "b16", 1, 2, 0, 0xffff},
		{"mul.lo.s32 %d, %a, %b;", "b32", "b32", 1 << 31, 3, 0, 1 << 31},
		{"mul.hi.s32 %d, %a, %b;", "b32", "b32", minus, 5, 0, minus},
		{"mul.hi.u32 %d, %a, %b;", "b32", "b32", minus, 5, 0, 4},
		{"mul.wide.s32 %d, %a, %b;", "b32", "b64", minus, 5, 0, math.MaxUint64 - 4},
		{"mul.wide.u32 %d, %a, %b;", "b32", "b64", minus, 5, 0, 5 * minus},
		{"mad.lo.s32 %d, %a, %b, %c;", "b32", "b32", 7, 6, minus, 41},
		{"div.s32 %d, %a, %b;", "b32", "b32", minus - 6, 2, 0, minus - 2},
		{"rem.s32 %d, %a, %b;", "b32", "b32", minus - 6, 2, 0, minus},
		{"div.u32 %d, %a, %b;", "b32", "b32", minus, 2, 0, minus / 2},
		{"min.s32 %d, %a, %b;", "b32", "b32", minus, 2, 0, minus},
		{"min.u32 %d, %a, %b;", "b32", "b32", minus, 2, 0, 2},
		{"max.s32 %d, %a, %b;", "b32", "b32", minus, 2, 0, 2},
		{"neg.s32 %d, %a;", "b32", "b32", 5, 0, 0, minus - 4},
		{"shl.b32 %d, %a, 33;", "b32", "b32", 1, 0, 0, 0},
		{"shr.s32 %d, %a, 40;", "b32", "b32", 1 << 31, 0, 0, minus},
		{"shr.u32 %d, %a, 31;", "b32", "b32", 1 << 31, 0, 0, 1},
		{"shr.s16 %d, %a, 4;", "b16", "b16", 0x8000, 0, 0, 0xf800},
		{"not.b32 %d, %a;", "b32", "b32", 5, 0, 0, minus - 5},
		{"xor.b32 %d, %a, %b;", "b32", "b32", 5, 6, 0, 3},
		{"prmt.b32 %d, %a, %b, 0x7531;", "b32", "b32", 0x33221100, 0x77665544, 0, 0x77553311},
		{"prmt.b32 %d, %a, %b, 0x889b;", "b32", "b32", 0x80, 0, 0, 0xffff0000},
		{"bfe.u32 %d, %a, 8, 4;", "b32", "b32", 0x12345f78, 0, 0, 15},
		{"bfe.u32 %d, %a, 40, 8;", "b32", "b32", 0x82345f78, 0, 0, 0},
		{"cvt.s32.s8 %d, %a;", "b32", "b32", 0x1ff, 0, 0, minus},
		{"cvt.s64.s32 %d, %a;", "b32", "b64", minus, 0, 0, math.MaxUint64},
		{"cvt.u64.u32 %d, %a;", "b32", "b64", minus, 0, 0, minus},
		{"cvt.u16.u32 %d, %a;", "b32", "b16", 0x12345678, 0, 0, 0x5678},
		{"cvt.rzi.s32.f32 %d, %a;", "b32", "b32", uint64(math.Float32bits(-2.9)), 0, 0, minus - 1},
		{"cvt.rzi.s32.f32 %d, %a;", "b32", "b32", uint64(math.Float32bits(1e20)), 0, 0, math.MaxInt32},
		{"mov.b64 %d, {%a, %b};", "b32", "b64", 1, 2, 0, 1 | 2<<32},
		{"setp.lt.s32 %p, %a, %b; selp.b32 %d, 1, 0, %p;", "b32", "b32", minus, 0, 0, 1},
		{"setp.lt.u32 %p, %a, %b; selp.b32 %d, 1, 0, %p;", "b32", "b32", minus, 0, 0, 0},
		{"setp.lt.f32 %p, %a, %b; not.pred %q, %p; selp.b32 %d, 1, 0, %q;", "b32", "b32", 0x7fc00000, 0, 0, 1},
		{"setp.ltu.f32 %p, %a, %b; selp.b32 %d, 1, 0, %p;", "b32", "b32", 0x7fc00000, 0, 0, 1},
		{"setp.neu.f32 %p, %a, %b; selp.b32 %d, 1, 0, %p;", "b32", "b32", 0x7fc00000, 0, 0, 1},
		{"setp.ge.u32 %p, %a, 5; mov.b32 %d, 1; @%p mov.b32 %d, 2;", "b32", "b32", 5, 0, 0, 2},
		{"setp.ge.u32 %p, %a, 5; mov.b32 %d, 1; @!%p mov.b32 %d, 2;", "b32", "b32", 5, 0, 0, 1},
	} {
		if got := results(t, c.instruction, c.from, c.to, [][3]uint64{{c.a, c.b, c.c}})[0]; got != c.want {
			t.Errorf("%s of %#x, %#x, %#x: %#x, not %#x", c.instruction, c.a, c.b, c.c, got, c.want)
		}
	}
}

// TestFloats compares operations in fp32 with those of Go, and fused ones with numbers of 200 bits.
func TestFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var operands [][3]uint64
	for len(operands) < 1000 {
		var set [3]uint64
		for i := range set {
			set[i] = uint64(r.Uint32())
			if r.IntN(2) == 0 {
				set[i] &^= 0xffff // so that sums meet the middle of two numbers
			}
		}
		if r.IntN(2) == 0 {
			product := math.Float32frombits(uint32(set[0])) * math.Float32frombits(uint32(set[1]))
			set[2] = uint64(math.Float32bits(-product)) ^ r.Uint64N(4)
		}
		operands = append(operands, set)
	}
	for instruction, f := range map[string]func(a, b, c float32) float32{
		"add.rn.f32 %d, %a, %b;":     func(a, b, _ float32) float32 { return a + b },
		"sub.f32 %d, %a, %b;":        func(a, b, _ float32) float32 { return a - b },
		"mul.rn.f32 %d, %a, %b;":     func(a, b, _ float32) float32 { return a * b },
		"div.rn.f32 %d, %a, %b;":     func(a, b, _ float32) float32 { return a / b },
		"sqrt.rn.f32 %d, %a;":        func(a, _, _ float32) float32 { return float32(math.Sqrt(float64(a))) },
		"fma.rn.f32 %d, %a, %b, %c;": exact,
		"max.NaN.f32 %d, %a, %b;":    func(a, b, _ float32) float32 { return max(a, b) },
		"max.f32 %d, %a, %b;": func(a, b, _ float32) float32 {
			if a != a || b == b && b > a {
				return b
			}
			return a
		},
	} {
		for i, got := range results(t, instruction, "f32", "f32", operands) {
			o := operands[i]
			a, b, c := math.Float32frombits(uint32(o[0])), math.Float32frombits(uint32(o[1])), math.Float32frombits(uint32(o[2]))
			want := uint64(math.Float32bits(f(a, b, c)))
			if w := f(a, b, c); w != w {
				want = 0x7fffffff
			}
			if got != want {
				t.Errorf("%s of %g, %g, %g: %#x, not %#x", instruction, a, b, c, got, want)
			}
		}
	}
}

// exact is a*b+c, rounded once.
func exact(a, b, c float32) float32 {
	sum := float64(a)*float64(b) + float64(c)
	if math.IsInf(sum, 0) || sum != sum {
		return float32(sum)
	}
	product := new(big.Float).SetPrec(400).Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
	all := product.Add(product, big.NewFloat(float64(c)))
	if all.Sign() == 0 {
		return float32(sum)
	}
	f, _ := all.Float32()
	return f
}

// TestHalves converts numbers in both directions: every number in fp16 comes back, and what lies
// between two neighbours goes to the nearer one, or to the even one.
func TestHalves(t *testing.T) {
	var all [][3]uint64
	for h := range uint64(1024) {
		all = append(all, [3]uint64{h * 31})
	}
	numbers := results(t, "cvt.f32.f16 %d, %a;", "b16", "b32", all)
	for i, got := range numbers {
		h := all[i][0]
		want := math.Ldexp(float64(h&1023), -24)
		if h>>10 > 0 {
			want = math.Ldexp(float64(h&1023|1024), int(h>>10)-25)
		}
		if f := float64(math.Float32frombits(uint32(got))); f != want {
			t.Fatalf("%#x is %g, not %g", h, f, want)
		}
	}
	var between [][3]uint64
	var want []uint64
	for _, h := range []uint64{0, 1, 2, 1023, 1024, 1025, 0x3bff, 0x3c00, 0x7bfe, 0x7bff} {
		low := math.Ldexp(float64(h&1023), -24)
		step := math.Ldexp(1, -24)
		if h>>10 > 0 {
			low, step = math.Ldexp(float64(h&1023|1024), int(h>>10)-25), math.Ldexp(1, int(h>>10)-25)
		}
		even := h + h&1
		for _, c := range []struct {
			part float64
			want uint64
		}{{0, h}, {0.499, h}, {0.5, even}, {0.501, h + 1}} {
			f := float32(low + c.part*step)
			between = append(between, [3]uint64{uint64(math.Float32bits(f)), uint64(math.Float32bits(-f))})
			want = append(want, c.want)
		}
	}
	single := results(t, "cvt.rn.f16.f32 %d, %b;", "b32", "b16", between)
	pairs := results(t, "cvt.rn.f16x2.f32 %d, %a, %b;", "b32", "b32", between)
	for i, w := range want {
		if single[i] != w|0x8000 {
			t.Errorf("%g is %#x, not %#x", math.Float32frombits(uint32(between[i][1])), single[i], w|0x8000)
		}
		if pairs[i] != w<<16|w|0x8000 {
			t.Errorf("%g and its negative are %#x, not %#x", math.Float32frombits(uint32(between[i][0])), pairs[i], w<<16|w|0x8000)
		}
	}
}

// TestShuffle exchanges the numbers of the lanes.
func TestShuffle(t *testing.T) {
	var operands [][3]uint64
	for lane := range uint64(32) {
		operands = append(operands, [3]uint64{100 + lane, lane})
	}
	for lane, got := range results(t, "shfl.sync.bfly.b32 %d, %a, 5, 31, -1;", "b32", "b32", operands) {
		if want := lane ^ 5; got != uint64(100+want) {
			t.Errorf("lane %d has that of %d, not of %d", lane, got-100, want)
		}
	}
}
