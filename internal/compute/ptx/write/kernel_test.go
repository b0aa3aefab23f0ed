package write

import (
	"strings"
	"testing"
)

// TestKernel writes a kernel with everything that is not just an instruction: parameters, registers,
// labels, predicates and loops.
func TestKernel(t *testing.T) {
	k := New("sum", 128)
	x, n := k.Pointer("x"), k.Number("n")
	k.Note("the sum of n numbers, by one thread")
	sum, at := k.NewF32(), k.Beyond(x, k.Thread(), 4)
	k.SetF(sum, k.LoadF(at, 0))
	k.If(k.Equal(k.Thread(), Int(0)), func() {
		k.Repeat("again", n, func() {
			k.SetF(sum, k.AddF(sum, k.LoadF(at, 8)))
			k.Skip(at, 4)
		})
		k.When(k.Less(n, Int(2)), func() { k.WriteF(k.Memory(), 0, sum) })
	})
	k.Return()
	const want = `.version 8.0
.target sm_90a
.address_size 64

.extern .shared .align 128 .b8 shared[];

.visible .entry sum(
	.param .u64 x,
	.param .u32 n
)
.maxntid 128, 1, 1
.minnctapersm 1
{
	.reg .pred %p<3>;
	.reg .b32 %r<5>;
	.reg .b64 %d<2>;
	.reg .f32 %f<4>;
	.reg .b16 %h<2>;

	ld.param.u64 %d0, [x];
	cvta.to.global.u64 %d0, %d0;
	ld.param.u32 %r0, [n];
	// the sum of n numbers, by one thread
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %d1, %r1, 4, %d0;
	ld.global.nc.f32 %f1, [%d1+0];
	mov.f32 %f0, %f1;
	mov.u32 %r2, %tid.x;
	setp.eq.u32 %p0, %r2, 0;
	@!%p0 bra end_1;
	mov.b32 %r3, %r0;
again_1:
	ld.global.nc.f32 %f2, [%d1+8];
	add.f32 %f3, %f0, %f2;
	mov.f32 %f0, %f3;
	add.u64 %d1, %d1, 4;
	add.u32 %r3, %r3, -1;
	setp.ne.u32 %p1, %r3, 0;
	@%p1 bra again_1;
	setp.lt.u32 %p2, %r0, 2;
	@%p2 mov.u32 %r4, shared;
	@%p2 st.shared.f32 [%r4+0], %f0;
end_1:
	ret;
}
`
	got := Module(Hopper, k)
	if got != want {
		g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				t.Fatalf("line %d is %q, want %q", i+1, g[i], w[i])
			}
		}
		t.Fatalf("%d lines, want %d", len(g), len(w))
	}
}
