package quant

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// trial is a small product of two points, two groups of blocks, two tiles of outputs and two chunks of
// inputs, and the memory that it must leave.
type trial struct {
	pointProducts
	before, after []float32
}

const trialPoints, trialGroups, trialBlocks = 2, 2, 3

func newTrial() *trial {
	const n, k, blocks, apart = 32, 128, trialGroups * trialBlocks, 16
	r := rand.New(rand.NewPCG(1, 2))
	p := pointProducts{n: n, k: k, blocks: blocks, aBlock: 4*k + apart, cBlock: 4*n + apart, work: aligned(workBytes(k, blocks))}
	p.aPoint, p.cPoint = p.blocks*p.aBlock+apart, p.blocks*p.cBlock+apart
	p.a, p.c = extreme(r, trialPoints*p.aPoint, math.MinInt16), noise(r, trialPoints*p.cPoint, 1)
	p.b, p.scale = make([]int16, trialPoints*n*k), noise(r, trialPoints*n, 1)
	for i := range p.work {
		p.work[i] = byte(r.Int())
	}
	t := &trial{p, slices.Clone(p.c), p.c}
	for point := range trialPoints {
		rows := extreme(r, n*k, -math.MaxInt16)
		packTiles(p.b[point*n*k:], rows, k, n)
		packed := make([]int16, n*k)
		plain.pack(packed, rows, k, n)
		plain.multiply(n, t.after[point*p.cPoint:], p.a[point*p.aPoint:], packed, p.scale[point*n:], k, p.blocks, p.aBlock, p.cBlock, n)
	}
	return t
}

// passes reports whether the routine computes what it must.
func (t *trial) passes(code program) bool {
	p := t.pointProducts
	p.c = slices.Clone(t.before)
	var failed error
	onMachine(code, &p, &failed)(&p.c[0], &p.a[0], &p.b[0], &p.scale[0], unsafe.SliceData(p.work), &shapes[trialBlocks][0],
		trialPoints, trialGroups, trialBlocks, p.n/16, p.k/chunk, 2*p.aPoint, 2*p.aBlock, 4*p.cPoint, 4*p.cBlock, 4*p.n)
	return failed == nil && slices.Equal(p.c, t.after)
}

// TestMutants: no instruction of the tile unit's routine can be removed, none can be exchanged with the
// next if one of the two changes what the other reads or changes, and no product of bytes can have other
// signs or tiles, except that a product with a high and a low byte can be in either of its two sums.
func TestMutants(t *testing.T) {
	code, trial := assemblyText(t), newTrial()
	if !trial.passes(code) {
		t.Fatal("the routine itself fails")
	}
	removed, exchanged, others := 0, 0, 0
	try := func(count *int, change func(c []instruction) []instruction, format string, args ...any) {
		*count++
		mutant := code
		if mutant.code = change(slices.Clone(code.code)); trial.passes(mutant) {
			t.Errorf(format, args...)
		}
	}
	nothing := instruction{op: "NOP"} // keeps the labels
	for i, in := range code.code {
		try(&removed, func(c []instruction) []instruction { c[i] = nothing; return c }, "instruction %d, %v, is not needed", i, in)
		if i+1 < len(code.code) && code.depend(i) {
			try(&exchanged, func(c []instruction) []instruction { c[i], c[i+1] = c[i+1], c[i]; return c },
				"instructions %d and %d, %v and %v, can be exchanged", i, i+1, in, code.code[i+1])
		}
		if strings.HasPrefix(in.op, "TDP") {
			for _, op := range []string{"TDPBSSD", "TDPBSUD", "TDPBUSD", "TDPBUUD"} {
				for tile := range 8 * 3 {
					other := in
					other.op, other.tile[tile/8] = op, tile%8
					middle := other.op == in.op && tile < 8 && in.tile[0]+other.tile[0] == 1+2
					if !middle && (other.op != in.op || other.tile != in.tile) {
						try(&others, func(c []instruction) []instruction { c[i] = other; return c }, "instruction %d, %v, can be %v", i, in, other)
					}
				}
			}
		}
	}
	t.Logf("%d instructions; %d mutants: %d without one, %d with two exchanged, %d with another product", len(code.code), removed+exchanged+others, removed, exchanged, others)
	if removed < 100 || exchanged < 30 || others < 300 {
		t.Error("too few mutants")
	}
}

// depend reports whether one of the instructions i and i+1 changes what the other reads or changes. Sums
// to the same register can be exchanged. So can what changes the flags if no jump follows.
func (p program) depend(i int) bool {
	x, y := p.code[i], p.code[i+1]
	for _, at := range p.labels {
		if at == i+1 {
			return false // the second is also reached from elsewhere
		}
	}
	if y.op[0] == 'J' || y.op == "RET" {
		return true
	}
	// What follows a jump may do no harm before it.
	if x.op[0] == 'J' || x.op == "VPADDD" && y.op == "VPADDD" || x.op == "ADDQ" && y.op == "ADDQ" && x.operand[1] == y.operand[1] {
		return false
	}
	xr, xw := x.uses()
	yr, yw := y.uses()
	both := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
	}
	return both(xw, yr) || both(xw, yw) || both(xr, yw)
}

// uses returns what an instruction reads and changes.
func (in instruction) uses() (reads, changes []string) {
	tile := func(i int) string { return "T" + string(rune('0'+in.tile[i])) }
	for i, o := range in.operand {
		if part := indirect.FindStringSubmatch(o); part != nil {
			reads = append(reads, part[2], part[3])
		}
		if i < len(in.operand)-1 || in.op == "TESTQ" {
			reads = append(reads, o)
		}
	}
	switch {
	case strings.HasPrefix(in.op, "TDP"):
		return append(reads, tile(0), tile(1), tile(2)), []string{tile(0)}
	case in.op == "TILESTORED":
		return append(reads, tile(0)), nil
	case in.op == "TILELOADD" || in.op == "TILEZERO":
		return reads, []string{tile(0)}
	case len(in.operand) == 0 || in.op == "TESTQ" || in.op == "LDTILECFG":
		return reads, nil
	}
	last := in.operand[len(in.operand)-1]
	if in.op != "MOVQ" && in.op != "LEAQ" {
		reads = append(reads, last)
	}
	return slices.DeleteFunc(reads, func(name string) bool { return name == "" }), []string{last}
}
