package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"warren/internal/compute/ptx"
)

// form is a form of wgmma.mma_async.
type form struct {
	types         string // of d, a, b
	n             int
	across        bool // b is MN-major
	fromRegisters bool
}

// whole reports whether the numbers are 8-bit, of which a row has 32. Otherwise it has 16 of 16 bits.
func (f form) whole() bool { return strings.HasPrefix(f.types, "s32") }

func (f form) depth() int {
	if f.whole() {
		return 32
	}
	return 16
}

// place returns the byte of an element of an operand, where matrices of 8 rows by 16 bytes are 128 bytes
// each: those that follow in rows 256 bytes apart, and those that follow in the sum 2048 or more.
func (f form) place(row, k int, across bool) int {
	size := 32 / f.depth()
	unit := 16 / size
	at := row/8*256 + k/unit*8192
	if across {
		return at + k%8*16 + row%8*2
	}
	return at + row%8*16 + k%unit*size
}

// descriptor describes such an operand at the beginning of shared memory.
const descriptor = 8192/16<<16 | 256/16<<32

// text is a kernel of four warps: d = a b + d.
func (f form) text() string {
	var d []string
	for i := range f.n / 2 {
		d = append(d, fmt.Sprintf("%%d%d", i))
	}
	code := new(strings.Builder)
	for i, r := range d {
		fmt.Fprintf(code, "ld.global.b32 %s, [%%z+%d];\n", r, 4*i)
	}
	a, suffix := "%da", ", 1, 1, 0, "+number(f.across)
	switch {
	case f.whole():
		suffix = ""
	case f.fromRegisters:
		// Row lane/4 or 8 more, two numbers at lane%4*2 or 8 more.
		a, suffix = "{%a0, %a1, %a2, %a3}", ", 1, 1, "+number(f.across)
		for i := range 4 {
			fmt.Fprintf(code, "ld.shared.b32 %%a%d, [%%s+%d];\n", i, i&1*256+i>>1*8192)
		}
	}
	fmt.Fprintf(code, "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n%dk%d.%s {%s}, %s, %%db, %%p%s;\n", f.n, f.depth(), f.types, strings.Join(d, ", "), a, suffix)
	code.WriteString("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n")
	for i, r := range d {
		fmt.Fprintf(code, "st.global.b32 [%%z+%d], %s;\n", 4*i, r)
	}
	return fmt.Sprintf(`.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 128 .b8 memory[];
.visible .entry k(.param .u64 x, .param .u64 z, .param .u64 description, .param .u32 bytes) {
	.reg .b64 %%x, %%z, %%y, %%da, %%db, %%e; .reg .b32 %%d<%d>, %%a<4>, %%t, %%m, %%s, %%i, %%n, %%v; .reg .pred %%p;
	mov.u32 %%t, %%tid.x;
	mov.u32 %%m, memory;
	ld.param.u64 %%x, [x]; ld.param.u64 %%z, [z]; ld.param.u64 %%da, [description]; ld.param.u32 %%n, [bytes];
	mad.wide.u32 %%z, %%t, %d, %%z;
	shl.b32 %%i, %%t, 2;
copy:
	cvt.u64.u32 %%y, %%i;
	add.u64 %%y, %%y, %%x;
	ld.global.b32 %%v, [%%y];
	add.u32 %%s, %%m, %%i;
	st.shared.b32 [%%s], %%v;
	add.u32 %%i, %%i, 512;
	setp.lt.u32 %%p, %%i, %%n;
	@%%p bra copy;
	fence.proxy.async;
	bar.sync 0;
	shr.u32 %%s, %%m, 4;
	cvt.u64.u32 %%e, %%s;
	or.b64 %%da, %%da, %%e;
	add.u64 %%db, %%da, 1024; // 16 KiB behind a
	shr.u32 %%s, %%t, 5;
	mad.lo.u32 %%s, %%s, 512, %%m;
	and.b32 %%v, %%t, 31;
	shr.u32 %%i, %%v, 2;
	mad.lo.u32 %%s, %%i, 16, %%s;
	and.b32 %%v, %%v, 3;
	mad.lo.u32 %%s, %%v, 4, %%s;
	setp.eq.u32 %%p, %%t, %%t;
	%s
	ret;
}`, f.n/2, 2*f.n, code)
}

func number(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// TestProducts multiplies matrices of small whole numbers in every form.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, f := range []form{
		{types: "f32.f16.f16", n: 8},
		{types: "f32.f16.f16", n: 256},
		{types: "f32.bf16.bf16", n: 24},
		{types: "f32.bf16.bf16", n: 64, across: true, fromRegisters: true},
		{types: "f32.f16.f16", n: 16, fromRegisters: true},
		{types: "s32.s8.u8", n: 8},
		{types: "s32.s8.u8", n: 256},
	} {
		t.Run(fmt.Sprintf("%+v", f), func(t *testing.T) {
			const second = 16384 // where b begins
			x := make([]byte, 2*second)
			matrices := [2][][]int{make([][]int, 64), make([][]int, f.n)}
			for m, rows := range matrices {
				across := m == 1 && f.across
				for i := range rows {
					for k := range f.depth() {
						v := r.IntN(7) - 3
						if f.whole() && m == 1 {
							v = r.IntN(256)
						}
						rows[i] = append(rows[i], v)
						at := x[m*second+f.place(i, k, across):]
						switch {
						case f.whole():
							at[0] = byte(v)
						case strings.Contains(f.types, "bf16"):
							binary.LittleEndian.PutUint16(at, uint16(math.Float32bits(float32(v))>>16))
						default:
							binary.LittleEndian.PutUint16(at, half(float32(v)))
						}
					}
				}
			}
			m, err := ptx.Parse([]byte(f.text()))
			if err != nil {
				t.Fatal(err)
			}
			memory := ptx.NewMemory()
			xAt, data := memory.Allocate(len(x))
			copy(data, x)
			dAt, d := memory.Allocate(128 * 2 * f.n)
			for i := range 32 * f.n * 2 {
				f.put(d[4*i:], i%5)
			}
			err = m.Run(memory, ptx.Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Threads: 128, Shared: len(x), Arguments: []any{xAt, dAt, uint64(descriptor), uint32(len(x))}})
			if err != nil {
				t.Fatal(err)
			}
			for thread := range 128 {
				for i := range f.n / 2 {
					at := thread*f.n/2 + i
					want := at % 5
					a := matrices[0][thread/32*16+thread%32/4+i/2%2*8]
					for k, v := range matrices[1][i/4*8+thread%4*2+i%2] {
						want += a[k] * v
					}
					if got := f.get(d[4*at:]); got != want {
						t.Fatalf("register %d of thread %d: %d, not %d", i, thread, got, want)
					}
				}
			}
		})
	}
}

func (f form) put(b []byte, v int) {
	bits := uint32(v)
	if !f.whole() {
		bits = math.Float32bits(float32(v))
	}
	binary.LittleEndian.PutUint32(b, bits)
}

func (f form) get(b []byte) int {
	bits := binary.LittleEndian.Uint32(b)
	if f.whole() {
		return int(int32(bits))
	}
	return int(math.Float32frombits(bits))
}
