// Package write writes kernels in PTX, the assembly language of NVIDIA's processors. A method of
// Kernel writes one instruction, or the few that always go together, and returns the register of its
// result. Registers have Go types, so that an operand of the wrong kind does not compile.
//
// The names and the semantics are those of "Parallel Thread Execution ISA", version 8.0.
package write

import (
	"fmt"
	"strings"
)

// Registers, and numbers in their place.
type (
	U32  string // 32 bits: an integer, an address in shared memory, or two numbers in fp16
	U64  string // 64 bits: an address in global memory, or a descriptor
	F32  string
	Pred string
)

// Int is an operand known when the kernel is written.
type Int int

// Operand is a U32 or an Int.
type Operand interface{ operand() string }

func (r U32) operand() string { return string(r) }
func (i Int) operand() string { return fmt.Sprint(int(i)) }

// Label is a place in a kernel.
type Label string

// Kernel is a kernel that is being written.
type Kernel struct {
	name    string
	threads int
	params  []string
	body    strings.Builder
	guard   string
	labels  map[string]int

	u32, u64, f32, pred int // registers so far
}

// New begins a kernel for groups of exactly the given number of threads, one group a
// multiprocessor.
func New(name string, threads int) *Kernel {
	return &Kernel{name: name, threads: threads, labels: map[string]int{}}
}

// Target is the devices for which a module is, and the version of PTX that it needs.
type Target struct{ devices, version string }

// Hopper is compute capability 9.0 alone, HopperBytes the same with MultiplyBytes, and Ampere 8.0 and all
// later ones.
var (
	Hopper      = Target{"sm_90a", "8.0"}
	HopperBytes = Target{"sm_90a", "8.4"}
	Ampere      = Target{"sm_80", "7.0"}
)

// Module returns a module with kernels.
func Module(t Target, kernels ...*Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version %s\n.target %s\n.address_size 64\n\n.extern .shared .align 128 .b8 shared[];\n", t.version, t.devices)
	for _, k := range kernels {
		k.entry(&b)
	}
	return b.String()
}

func (k *Kernel) entry(b *strings.Builder) {
	fmt.Fprintf(b, "\n.visible .entry %s(\n\t%s\n)\n.maxntid %d, 1, 1\n.minnctapersm 1\n{\n", k.name, strings.Join(k.params, ",\n\t"), k.threads)
	fmt.Fprintf(b, "\t.reg .pred %%p<%d>;\n\t.reg .b32 %%r<%d>;\n\t.reg .b64 %%d<%d>;\n\t.reg .f32 %%f<%d>;\n\t.reg .b16 %%h<2>;\n\n", k.pred, k.u32, k.u64, k.f32)
	b.WriteString(k.body.String())
	b.WriteString("}\n")
}

// op writes an instruction.
func (k *Kernel) op(format string, args ...any) {
	k.body.WriteByte('\t')
	k.body.WriteString(k.guard)
	fmt.Fprintf(&k.body, format, args...)
	k.body.WriteString(";\n")
}

// Note writes a comment.
func (k *Kernel) Note(text string) { fmt.Fprintf(&k.body, "\t// %s\n", text) }

// NewU32 returns a register without a value, as do NewU64, NewF32 and NewPred.
func (k *Kernel) NewU32() U32 { k.u32++; return U32(fmt.Sprintf("%%r%d", k.u32-1)) }

func (k *Kernel) NewU64() U64 { k.u64++; return U64(fmt.Sprintf("%%d%d", k.u64-1)) }

func (k *Kernel) NewF32() F32 { k.f32++; return F32(fmt.Sprintf("%%f%d", k.f32-1)) }

func (k *Kernel) NewPred() Pred { k.pred++; return Pred(fmt.Sprintf("%%p%d", k.pred-1)) }

// U32s returns n registers, and F32s likewise.
func (k *Kernel) U32s(n int) []U32 { return several(n, k.NewU32) }

func (k *Kernel) F32s(n int) []F32 { return several(n, k.NewF32) }

func several[R any](n int, make func() R) []R {
	var all []R
	for range n {
		all = append(all, make())
	}
	return all
}

// list joins registers to a vector operand.
func list[R ~string](all []R) string {
	var names []string
	for _, r := range all {
		names = append(names, string(r))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// Pointer adds a parameter that is an address in global memory, and returns it.
func (k *Kernel) Pointer(name string) U64 {
	k.params = append(k.params, ".param .u64 "+name)
	d := k.NewU64()
	k.op("ld.param.u64 %s, [%s]", d, name)
	k.op("cvta.to.global.u64 %s, %s", d, d)
	return d
}

// Number adds a parameter of 32 bits, and returns it.
func (k *Kernel) Number(name string) U32 {
	k.params = append(k.params, ".param .u32 "+name)
	d := k.NewU32()
	k.op("ld.param.u32 %s, [%s]", d, name)
	return d
}

// Label returns a new label whose name begins as given.
func (k *Kernel) Label(name string) Label {
	k.labels[name]++
	return Label(fmt.Sprintf("%s_%d", name, k.labels[name]))
}

// Place puts a label here.
func (k *Kernel) Place(l Label) { fmt.Fprintf(&k.body, "%s:\n", l) }

// Jump continues at a label.
func (k *Kernel) Jump(l Label) { k.op("bra %s", l) }

// JumpIf continues at a label in the threads where p holds.
func (k *Kernel) JumpIf(p Pred, l Label) { k.op("@%s bra %s", p, l) }

// JumpUnless continues at a label in the threads where p does not hold.
func (k *Kernel) JumpUnless(p Pred, l Label) { k.op("@!%s bra %s", p, l) }

// Return ends the thread.
func (k *Kernel) Return() { k.op("ret") }

// When executes the instructions that body writes only in the threads where p holds. It writes a
// predicate before each of them, so body must have no jumps.
func (k *Kernel) When(p Pred, body func()) {
	outer := k.guard
	k.guard = fmt.Sprintf("@%s ", p)
	body()
	k.guard = outer
}

// If jumps over the instructions that body writes in the threads where p does not hold.
func (k *Kernel) If(p Pred, body func()) {
	end := k.Label("end")
	k.JumpUnless(p, end)
	body()
	k.Place(end)
}

// Repeat executes what body writes a number of times, at least once.
func (k *Kernel) Repeat(name string, times Operand, body func()) {
	i := k.Copy(times)
	top := k.Label(name)
	k.Place(top)
	body()
	k.Increase(i, Int(-1))
	k.JumpIf(k.NotEqual(i, Int(0)), top)
}

// Rolled, at the beginning of a loop's body, keeps the assembler from unrolling the loop.
func (k *Kernel) Rolled() { k.body.WriteString("\t.pragma \"nounroll\";\n") }
