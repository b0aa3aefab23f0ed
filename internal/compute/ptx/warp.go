package ptx

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// warp is 32 threads. Those with the same program counter run together, as a group, and of several
// groups the one that is furthest behind runs first, until it waits.
type warp struct {
	block      *block
	number     int
	registers  []lanes
	defined    []uint32 // the lanes in which a register was written
	predicates []uint32
	decided    []uint32 // the lanes in which a predicate was written
	steps      int
	groups     []group
	live       uint32 // the lanes that have not ended
	current    int    // the group that runs
	// The state of wgmma, in wgmma.go.
	issued, done int   // the operations that were begun and waited for
	commits      []int // issued at each commit that is not waited for
	inFlight     []int // for each register, how many operations in flight use it
	fenced       bool  // a wgmma.fence is in effect
	share        int   // registers of a thread, by setmaxnreg
}

// group is lanes of a warp at the same instruction.
type group struct {
	pc   int
	mask uint32
	wait wait
}

// wait is what a group waits for: no longer than until an event of this kind.
type wait struct {
	kind event
	on   uint64 // barrier
}

type event int

const (
	nothing   event = iota
	converged       // the other lanes of the warp
	barrierDone
	phaseDone
	multiplied // other warps of the warpgroup
)

func (e event) String() string {
	return [...]string{"nothing", "the other threads of its warp", "a barrier", "an mbarrier", "the other warps of its warpgroup"}[e]
}

// unset is a register that nothing has written.
var unset = constant(math.MaxUint64).constant

func newWarp(b *block, number int, registers []lanes) *warp {
	k := b.kernel
	w := &warp{
		block: b, number: number, live: math.MaxUint32,
		registers:  registers,
		defined:    make([]uint32, k.registers),
		inFlight:   make([]int, k.registers),
		predicates: make([]uint32, k.predicates),
		decided:    make([]uint32, k.predicates),
	}
	if rest := b.threads - 32*number; rest < 32 {
		w.live = 1<<rest - 1
	}
	w.groups = []group{{mask: w.live}}
	for i := range registers {
		registers[i] = *unset
	}
	for name, r := range k.specials {
		value, _ := specialValue(name)
		for lane := range 32 {
			w.registers[r][lane] = value(w, lane)
		}
		w.defined[r] = math.MaxUint32
	}
	return w
}

// fault stops the block with an error of a lane at the current instruction.
func (w *warp) fault(lane int, err error) {
	b := w.block
	if b.err != nil {
		return
	}
	in := &b.kernel.code[min(w.groups[w.current].pc, len(b.kernel.code)-1)]
	b.err = &Fault{Kernel: b.kernel.name, Line: in.line, Opcode: in.opcode, Block: b.at, Thread: 32*w.number + lane, Text: err.Error()}
}

func (w *warp) faultf(mask uint32, format string, args ...any) {
	w.fault(first(mask), fmt.Errorf(format, args...))
}

// decide sets a predicate in the lanes of a mask.
func (w *warp) decide(p int, mask, truth uint32) {
	w.predicates[p] = w.predicates[p]&^mask | truth&mask
	w.decided[p] |= mask
}

// ready reports whether a group can run.
func (w *warp) ready() bool {
	return slices.ContainsFunc(w.groups, func(g group) bool { return g.wait.kind == nothing })
}

// wake lets the groups run that wait for an event.
func (w *warp) wake(kind event, on uint64) {
	for i := range w.groups {
		if g := &w.groups[i]; g.wait.kind == kind && g.wait.on == on {
			g.wait = wait{}
		}
	}
}

// sleep makes the current group wait, at its instruction.
func (w *warp) sleep(kind event, on uint64) { w.groups[w.current].wait = wait{kind, on} }

// choose merges groups at the same instruction, and makes the one that is furthest behind the
// current one. It returns false if none can run.
func (w *warp) choose() bool {
	slices.SortStableFunc(w.groups, func(a, b group) int { return a.pc - b.pc })
	merged := w.groups[:0]
	for _, g := range w.groups {
		if n := len(merged); n > 0 && merged[n-1].pc == g.pc && mergeable(merged[n-1].wait.kind) && mergeable(g.wait.kind) {
			merged[n-1].mask |= g.mask
			merged[n-1].wait = wait{}
			continue
		}
		merged = append(merged, g)
	}
	w.groups = merged
	w.current = slices.IndexFunc(w.groups, func(g group) bool { return g.wait.kind == nothing })
	return w.current >= 0
}

func mergeable(kind event) bool { return kind == nothing || kind == converged }

// mostSteps is the number of instructions of a warp after which it counts as caught in a loop.
const mostSteps = 1 << 24

// run runs up to n instructions.
func (w *warp) run(n int) {
	if !w.choose() {
		return
	}
	code := w.block.kernel.code
	if w.steps += n; w.steps > mostSteps {
		w.faultf(w.groups[w.current].mask, "the warp is caught in a loop: it has executed %d instructions", w.steps)
	}
	for ; n > 0 && w.block.err == nil; n-- {
		g := &w.groups[w.current]
		if g.pc >= len(code) {
			w.fault(first(g.mask), errors.New("the kernel ends without ret"))
			return
		}
		again := w.step(g, &code[g.pc])
		if again && len(w.groups) == 1 {
			continue
		}
		if len(w.groups) == 0 || !w.choose() {
			return
		}
	}
}

// step runs an instruction for a group. It returns whether the same group can run on.
func (w *warp) step(g *group, in *instruction) bool {
	mask := g.mask
	for _, p := range in.tests {
		if missing := mask &^ w.decided[p]; missing != 0 {
			w.faultf(missing, "it reads a predicate that was never written")
			return false
		}
	}
	if in.guard >= 0 {
		truth := w.predicates[in.guard]
		if in.negated {
			truth = ^truth
		}
		mask &= truth
	}
	if in.together && mask != 0 && mask != w.live {
		if g.mask == w.live {
			w.faultf(mask, "only some threads of the warp execute it, and all must: lanes %#x of %#x", mask, w.live)
			return false
		}
		g.wait = wait{kind: converged}
		return false
	}
	switch in.flow {
	case branch:
		return w.branch(g, in, mask)
	case leave:
		return w.leave(g, mask)
	}
	if mask == 0 {
		g.pc++
		return true
	}
	if !w.check(in, mask) {
		return false
	}
	pc := g.pc
	in.run(w, mask)
	for _, r := range in.writes {
		w.defined[r] |= mask
	}
	if g.wait.kind != nothing {
		return false
	}
	g.pc = pc + 1
	return true
}

// check checks the registers of an instruction.
func (w *warp) check(in *instruction, mask uint32) bool {
	for _, r := range in.reads {
		if missing := mask &^ w.defined[r]; missing != 0 {
			w.faultf(missing, "it reads a register that was never written")
			return false
		}
	}
	if len(in.touches) > 0 {
		w.fenced = false
	}
	for _, r := range in.touches {
		if w.inFlight[r] > 0 {
			w.faultf(mask, "it uses a register of a wgmma that no wgmma.wait_group has waited for")
			return false
		}
	}
	return true
}

func (w *warp) branch(g *group, in *instruction, mask uint32) bool {
	switch mask {
	case g.mask:
		g.pc = in.target
	case 0:
		g.pc++
	default:
		rest := group{pc: g.pc + 1, mask: g.mask &^ mask}
		g.pc, g.mask = in.target, mask
		w.groups = append(w.groups, rest)
		return false
	}
	return true
}

// leave ends lanes.
func (w *warp) leave(g *group, mask uint32) bool {
	if w.issued > w.done && mask != 0 {
		w.faultf(mask, "the thread ends, and no wgmma.wait_group has waited for its wgmma")
		return false
	}
	w.live &^= mask
	g.mask &^= mask
	g.pc++
	if g.mask == 0 {
		w.groups = slices.Delete(w.groups, w.current, w.current+1)
	}
	w.wake(converged, 0)
	return false
}
