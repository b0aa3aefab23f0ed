package ptx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"warren/internal/compute/ptx"
)

// try runs the body of a kernel with two blocks of 64 threads, some registers, shared memory s, and 4 KiB
// of global memory x, whose address is in %x. %t is the number of the thread, %b that of the block.
func try(body string, seed uint64) error {
	text := fmt.Sprintf(`.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x) {
	.reg .b32 %%t, %%b, %%r<9>; .reg .b64 %%x, %%y; .reg .pred %%p, %%q; .reg .f32 %%f<9>;
	.shared .align 16 .b8 s[1024];
	mov.u32 %%t, %%tid.x; mov.u32 %%b, %%ctaid.x;
	ld.param.u64 %%x, [x];
%s
	ret;
}`, body)
	m, err := ptx.Parse([]byte(text))
	if err != nil {
		return err
	}
	memory := ptx.NewMemory()
	x, _ := memory.Allocate(4096)
	return m.Run(memory, ptx.Launch{Kernel: "k", Grid: [3]int{2, 1, 1}, Threads: 64, Arguments: []any{x}, Seed: seed})
}

const (
	// own makes %r0 the address of a thread's own word of s, and %r1 that of its neighbour's.
	own = `shl.b32 %r0, %t, 2; mov.u32 %r2, s; add.u32 %r0, %r0, %r2; xor.b32 %r1, %r0, 4;
`
	// far is like own, with the word of the other warp.
	far = `shl.b32 %r0, %t, 2; mov.u32 %r2, s; add.u32 %r0, %r0, %r2; xor.b32 %r1, %r0, 128;
`
	// asynchronous is like own, and copies a word of x to each.
	asynchronous = own + `mad.wide.u32 %y, %t, 4, %x; cp.async.ca.shared.global [%r0], [%y], 4;
`
	// global makes %y the address of a thread's own word of x.
	global = `mad.wide.u32 %y, %t, 4, %x;
`
)

// over copies to s in all threads, and then, after a fence of each, by the async proxy.
func over(fence string) string {
	return "setp.eq.u32 %p, %t, 0; @%p mbarrier.init.shared::cta.b64 [s+512], 1; fence.mbarrier_init.release.cluster;" + asynchronous + "cp.async.wait_all;" + fence + `bar.sync 0; @!%p bra end;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [s+512], 16; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%x], 16, [s+512];
w: mbarrier.try_wait.parity.shared::cta.b64 %q, [s+512], 0; @!%q bra w; end:`
}

// TestFaults runs kernels with a fault, and their like without.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"own word", own + "st.shared.b32 [%r0], %t; ld.shared.b32 %r3, [%r0];", ""},
		{"neighbour's word", own + "st.shared.b32 [%r0], %t; ld.shared.b32 %r3, [%r1];", "nothing orders this after the write of thread"},
		{"neighbour's word with a barrier", own + "st.shared.b32 [%r0], %t; bar.warp.sync -1; ld.shared.b32 %r3, [%r1];", ""},
		{"other warp's word", far + "st.shared.b32 [%r0], %t; bar.warp.sync -1; ld.shared.b32 %r3, [%r1];", "line"},
		{"other warp's word with a barrier", far + "st.shared.b32 [%r0], %t; bar.sync 0; ld.shared.b32 %r3, [%r1];", ""},
		{"write after another's read", far + "st.shared.b32 [%r0], %t; bar.sync 0; ld.shared.b32 %r3, [%r1]; st.shared.b32 [%r0], %t;", "nothing orders this after"},
		{"write after many reads", own + "st.shared.b32 [%r0], %t; bar.sync 0; ld.shared.b32 %r3, [s]; setp.eq.u32 %p, %t, 0; @%p st.shared.b32 [s], %t;", "which reads it"},
		{"write after many reads with a barrier", own + "st.shared.b32 [%r0], %t; bar.sync 0; ld.shared.b32 %r3, [s]; bar.sync 0; setp.eq.u32 %p, %t, 0; @%p st.shared.b32 [s], %t;", ""},
		{"write after second reads by another warp", own + "st.shared.b32 [%r0], %t; bar.sync 0; ld.shared.b32 %r3, [s]; bar.sync 0; ld.shared.b32 %r3, [s]; bar.warp.sync -1; setp.eq.u32 %p, %t, 32; @%p st.shared.b32 [s], %t;", "after thread 0, which reads it"},
		{"two writes", "st.shared.b32 [s], %t;", "the write of thread"},
		{"halves of a word", "mov.u32 %r0, s; mad.lo.u32 %r0, %t, 2, %r0; st.shared.b16 [%r0], %t;", ""},
		{"arrival without waiting", far + "st.shared.b32 [%r0], %t; bar.arrive 1, 64; ld.shared.b32 %r3, [%r1];", "it reads shared memory"},
		{"never written", own + "ld.shared.b32 %r3, [%r0];", "nothing has written"},
		{"beyond shared memory", own + "st.shared.b32 [%r0+1024], %t;", "outside shared memory"},
		{"misaligned in shared memory", own + "st.shared.b32 [%r0+2], %t;", "not a multiple of 4"},
		{"beyond a buffer", "st.global.b32 [%x+4096], %t;", "4 bytes at offset 4096 of a buffer of 4096 bytes"},
		{"before all buffers", "mov.u64 %y, 16; st.global.b32 [%y], %t;", "not in global memory"},
		{"misaligned in global memory", global + "ld.global.v2.b32 {%r0, %r1}, [%x+4];", "not a multiple of 8"},
		{"two blocks write", global + "st.global.b32 [%y], %t;", "another block"},
		{"blocks write apart", "mad.lo.u32 %r0, %b, 64, %t; mad.wide.u32 %y, %r0, 4, %x; st.global.b32 [%y], %t; ld.global.b32 %r1, [%y];", ""},
		{"a neighbour's global write", "mad.lo.u32 %r0, %b, 64, %t; mad.wide.u32 %y, %r0, 4, %x; st.global.b32 [%y], %t; xor.b32 %r0, %r0, 1; mad.wide.u32 %y, %r0, 4, %x; ld.global.b32 %r1, [%y];", "nothing orders this after the write"},
		{"a global write after a neighbour's read", "mad.lo.u32 %r0, %b, 64, %t; xor.b32 %r1, %r0, 1; mad.wide.u32 %y, %r1, 4, %x; ld.global.b32 %r1, [%y]; mad.wide.u32 %y, %r0, 4, %x; st.global.b32 [%y], %t;", "nothing orders this after the read"},
		{"a global write after a neighbour's read and a barrier", "mad.lo.u32 %r0, %b, 64, %t; xor.b32 %r1, %r0, 1; mad.wide.u32 %y, %r1, 4, %x; ld.global.b32 %r1, [%y]; bar.sync 0; mad.wide.u32 %y, %r0, 4, %x; st.global.b32 [%y], %t;", ""},
		{"constant memory is written", "mad.lo.u32 %r0, %b, 64, %t; mad.wide.u32 %y, %r0, 4, %x; st.global.b32 [%y], %t; ld.global.nc.b32 %r1, [%y];", "as constant (.nc)"},
		{"register never written", "add.u32 %r0, %r1, 1;", "register that was never written"},
		{"register of some lanes", "setp.lt.u32 %p, %t, 5; @%p mov.u32 %r1, 0; add.u32 %r0, %r1, 1;", "thread 5: it reads a register that was never written"},
		{"predicate never written", "@%p mov.u32 %r1, 0;", "predicate that was never written"},
		{"barrier under a guard", "setp.lt.u32 %p, %t, 5; @%p bar.sync 0;", "only some threads of the warp"},
		{"barrier in a branch", "setp.lt.u32 %p, %t, 5; @%p bra end; bar.sync 0; end: bar.sync 1;", "no thread can run any more"},
		{"branches that meet", "setp.lt.u32 %p, %t, 5; @%p bra other; mov.u32 %r0, 0; bra meet; other: mov.u32 %r0, 1; meet: bar.sync 0; add.u32 %r0, %r0, 1;", ""},
		{"branches that meet before one of them", "setp.lt.u32 %p, %t, 5; @%p bra other; meet: bar.sync 0; ret; other: mov.u32 %r0, 1; bra meet;", ""},
		{"barrier of one warp", "setp.lt.u32 %p, %t, 32; @%p bra end; bar.sync 0; end:", "waits at line"},
		{"barriers of two sizes", "setp.lt.u32 %p, %t, 32; @%p bra one; bar.sync 0, 64; ret; one: bar.sync 0, 96;", "where another warp has"},
		{"barrier twice", "setp.lt.u32 %p, %t, 32; @%p bra one; bar.arrive 0, 64; bar.arrive 0, 64; one:", "comes to barrier 0 again"},
		{"no such barrier", "bar.sync 16;", "no barrier 16"},
		{"loop without end", "again: bra again;", "caught in a loop"},
		{"mbarrier read as memory", "setp.eq.u32 %p, %t, 0; @%p mbarrier.init.shared::cta.b64 [s], 1; bar.sync 0; ld.shared.b32 %r0, [s];", "reads the mbarrier"},
		{"mbarrier not made", "mbarrier.arrive.shared::cta.b64 _, [s];", "no mbarrier"},
		{"mbarrier that another lane has just made", "setp.eq.u32 %p, %t, 0; @%p mbarrier.init.shared::cta.b64 [s], 32; setp.lt.u32 %p, %t, 32; @%p mbarrier.arrive.shared::cta.b64 _, [s];", "nothing orders this after the mbarrier.init"},
		{"mbarrier with too many arrivals", "setp.eq.u32 %p, %t, 0; @%p mbarrier.init.shared::cta.b64 [s], 64; bar.sync 0; mbarrier.arrive.expect_tx.shared::cta.b64 _, [s], 16; mbarrier.arrive.shared::cta.b64 _, [s];", "more than 64 threads arrive"},
		{"mbarrier orders", far + "setp.eq.u32 %p, %t, 0; @%p mbarrier.init.shared::cta.b64 [s+512], 64; bar.sync 0; st.shared.b32 [%r0], %t; mbarrier.arrive.shared::cta.b64 _, [s+512]; w: mbarrier.try_wait.parity.shared::cta.b64 %q, [s+512], 0; @!%q bra w; ld.shared.b32 %r3, [%r1];", ""},
		{"one thread waits for all", far + "setp.eq.u32 %p, %t, 0; @%p mbarrier.init.shared::cta.b64 [s+512], 64; bar.sync 0; st.shared.b32 [%r0], %t; mbarrier.arrive.shared::cta.b64 _, [s+512]; and.b32 %r4, %t, 31; setp.ne.u32 %p, %r4, 0; @%p bra go; w: mbarrier.try_wait.parity.shared::cta.b64 %q, [s+512], 0; @!%q bra w; go: ld.shared.b32 %r3, [%r1];", "it reads shared memory"},
		{"copy to an mbarrier that is not known", "setp.eq.u32 %p, %t, 0; @!%p bra end; mbarrier.init.shared::cta.b64 [s+512], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [s+512], 16; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%x], 16, [s+512]; end:", "known to the async proxy"},
		{"copy over what a thread wrote", "setp.eq.u32 %p, %t, 0; @!%p bra end; mbarrier.init.shared::cta.b64 [s+512], 1; fence.proxy.async.shared::cta; st.shared.b32 [s], %t; mbarrier.arrive.expect_tx.shared::cta.b64 _, [s+512], 16; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%x], 16, [s+512]; end:", "no fence.proxy.async"},
		{"copy of a thread", asynchronous + "cp.async.commit_group; cp.async.wait_group 0; ld.shared.b32 %r3, [%r0];", ""},
		{"copy without waiting", asynchronous + "cp.async.commit_group; ld.shared.b32 %r3, [%r0];", "a cp.async of thread"},
		{"copy written over", asynchronous + "cp.async.commit_group; st.shared.b32 [%r0], %t;", "a cp.async of thread"},
		{"copy not in a group", asynchronous + "cp.async.wait_group 0; ld.shared.b32 %r3, [%r0];", "a cp.async of thread"},
		{"copy in the last group", asynchronous + "cp.async.commit_group; cp.async.wait_group 1; ld.shared.b32 %r3, [%r0];", "a cp.async of thread"},
		{"copy in the group before", asynchronous + "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1; ld.shared.b32 %r3, [%r0];", ""},
		{"all copies", asynchronous + "cp.async.wait_all; ld.shared.b32 %r3, [%r0];", ""},
		{"copy of another thread", asynchronous + "cp.async.wait_all; ld.shared.b32 %r3, [%r1];", "it reads shared memory"},
		{"copy of another thread with a barrier", asynchronous + "cp.async.wait_all; bar.sync 0; ld.shared.b32 %r3, [%r1];", ""},
		{"copy over what another reads", asynchronous + "cp.async.wait_all; bar.sync 0; ld.shared.b32 %r3, [%r1]; cp.async.ca.shared.global [%r0], [%x], 4;", "nothing orders"},
		{"copy over a thread's copy", over("fence.proxy.async.shared::cta;"), ""},
		{"copy over a thread's copy without a fence", over(""), "no fence.proxy.async"},
		{"copy of 8 bytes", "setp.eq.u32 %p, %t, 0; @!%p bra end; mbarrier.init.shared::cta.b64 [s+512], 1; fence.proxy.async.shared::cta; mbarrier.arrive.expect_tx.shared::cta.b64 _, [s+512], 8; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%x], 8, [s+512]; end:", "multiple of 16"},
		{"barrier that nobody waits for", "bar.arrive 1, 128;", "the block ends"},
	} {
		var err error
		for seed := uint64(0); seed < 5 && err == nil; seed++ {
			err = try(c.body, seed)
		}
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (!errors.As(err, new(*ptx.Fault)) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, not %q", c.name, err, c.want)
		}
	}
}

// TestRegisters gives more registers to the warps than a multiprocessor has.
func TestRegisters(t *testing.T) {
	m, err := ptx.Parse([]byte(".visible .entry k() { setmaxnreg.inc.sync.aligned.u32 128; ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	for threads, want := range map[int]string{512: "<nil>", 640: "the warps have 69632 registers, of 65536"} {
		err := m.Run(ptx.NewMemory(), ptx.Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Threads: threads})
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%d threads: %v, not %q", threads, err, want)
		}
	}
}

// TestParse gives Parse what it does not know.
func TestParse(t *testing.T) {
	for body, want := range map[string]string{
		"frob.u32 %r0, %r1;":                 "line 9: the instruction frob.u32 is not known",
		"add.sat.s32 %r0, %r1, 1;":           "line 9: add.sat.s32: the suffix .sat is not known",
		"add.rz.f32 %f0, %f1, %f2;":          "line 9: add.rz.f32: the suffix .rz is not known",
		"add.u32 %z, %r1, 1;":                "line 9: the register %z is not declared",
		"bra nowhere;":                       "line 9: bra: the label nowhere is not there",
		"ld.global.v4.b32 {%r0, %r1}, [%x];": "line 9: ld.global.v4.b32: this form is not known",
		"@%r0 bra end; end:":                 "line 9: %r0 is not a predicate",
		"mov.u32 %r0, nothing;":              "line 9: mov.u32: the name nothing is not declared",
		"again: again: ret;":                 "line 9: the label again is there twice",
		"cvt.u32.u64 %r0;":                   "line 9: cvt.u32.u64: this form is not known",
		"cp.async;":                          "line 9: cp.async: this form is not known",
		"mma;":                               "line 9: mma: this form is not known",
		"mov.b64 {}, %x;":                    "line 9: a list of no registers",
		"setp.lt.u32 %r0, %r1, %r2;":         "line 9: setp.lt.u32: an operand is not a predicate",
		"cvt.rz.f16.f32 %r0, %f1;":           "line 9: cvt.rz.f16.f32: the suffix .rz is not known",
		"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f0}, %x, %y, 1, 1, 1, 0, 0;": "line 9: wgmma.mma_async",
		"add.u32 %r0, %r1, \x80;": "line 9: the byte 0x80 is not PTX",
	} {
		if err := try(body, 0); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, not %q", body, err, want)
		}
	}
	if _, err := ptx.Parse([]byte(".visible .entry k(")); err == nil || err.Error() != "line 1: the text ends too early" {
		t.Errorf("half a kernel: %v", err)
	}
}
