package ptx

import "fmt"

// Module is a compiled module.
type Module struct {
	kernels map[string]*kernel
}

// kernel is a compiled entry function.
type kernel struct {
	name           string
	order          []string // of the parameters
	parameters     map[string]variable
	parameterBytes int
	threads        int // at most, 0 if the module does not say
	registers      int
	widths         []typ // of the registers
	predicates     int
	// specials are the special registers that the kernel reads, as registers that are set
	// before it begins.
	specials map[string]int
	static   int  // bytes of shared memory that the kernel declares
	align    int  // of the dynamic shared memory behind it
	dynamic  bool // the launch may give more
	copies   bool // it has cp.async that no mbarrier counts
	code     []instruction
}

// instruction is a compiled instruction. It runs for the lanes of a mask.
type instruction struct {
	line    int
	opcode  string
	guard   int
	negated bool
	run     func(w *warp, mask uint32)
	reads   []int // registers that must have been written, and are not those of an instruction in flight
	writes  []int
	tests   []int // predicates that must have been decided
	// together means that all lanes of the warp execute it at once: .sync.aligned.
	together bool
	holds    []int // registers of sums, and of a if it is in registers, of a wgmma.mma_async
	touches  []int // registers of some wgmma, if it is another instruction
	target   int   // of a branch
	flow     flow
}

// flow is what an instruction does to the program counter.
type flow int

const (
	onward flow = iota
	branch
	leave
)

// sharedBase is the address of the first byte of shared memory. On compute capability 9.0, the
// system keeps the first kilobyte.
const sharedBase = 1024

// special returns the register that stands for a special register.
func (k *kernel) special(name string) (operand, bool) {
	if _, ok := specialValue(name); !ok {
		return operand{}, false
	}
	if k.specials == nil {
		k.specials = map[string]int{}
	}
	index, ok := k.specials[name]
	if !ok {
		index = k.registers
		k.registers++
		k.widths = append(k.widths, b32)
		k.specials[name] = index
	}
	return operand{kind: register, index: index}, true
}

// specialValue returns the function that computes a special register for a lane.
func specialValue(name string) (func(w *warp, lane int) uint64, bool) {
	switch name {
	case "%tid.x":
		return func(w *warp, lane int) uint64 { return uint64(32*w.number + lane) }, true
	case "%ctaid.x":
		return func(w *warp, _ int) uint64 { return uint64(w.block.at[0]) }, true
	case "%ctaid.y":
		return func(w *warp, _ int) uint64 { return uint64(w.block.at[1]) }, true
	}
	return nil, false
}

// Fault is an error of a kernel: what it did, where, and in which thread.
type Fault struct {
	Kernel string
	Line   int    // of the PTX
	Opcode string // of the instruction
	Block  [3]int
	Thread int // of the block
	Text   string
}

func (f *Fault) Error() string {
	return fmt.Sprintf("kernel %s, line %d (%s), block %d,%d,%d, thread %d: %s", f.Kernel, f.Line, f.Opcode, f.Block[0], f.Block[1], f.Block[2], f.Thread, f.Text)
}
