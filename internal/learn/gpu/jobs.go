package gpu

import (
	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
)

// jobs are the gradients by the weights of layers with so many taps. A work group computes tiles of 64
// inputs and 64 outputs over a part of the boards.
type jobs struct {
	taps   kernels.Taps
	layers []jobLayer
	parts  int
	boards int

	groups [][]segment // nil but for the kernel hopper.Outer
	counts []int       // parts of each layer, for that kernel
}

type jobLayer struct {
	xAt, gAt int
	matrix
}

// blockSize is the numbers of a tile for one tap.
const blockSize = 64 * 64

func newJobs(taps kernels.Taps) *jobs { return &jobs{taps: taps} }

// add adds a layer whose inputs and whose results' gradients are at places.
func (j *jobs) add(xAt, gAt int, w matrix) { j.layers = append(j.layers, jobLayer{xAt, gAt, w}) }

// tiles are those of the inputs and outputs.
func (l jobLayer) tiles() (in, out int) { return (l.in + 63) / 64, (l.out + 63) / 64 }

// plan divides the boards into parts, and returns the number of work groups. It depends on shapes only, so
// that sums have the same order on every device. More parts keep more multiprocessors busy, and each costs
// about as much as some boards.
func (j *jobs) plan(boards int) int {
	const each = 6
	tiles := 0
	for _, l := range j.layers {
		in, out := l.tiles()
		tiles += in * out
	}
	least := 0
	for parts := 1; parts <= boards; parts++ {
		size := (boards + parts - 1) / parts
		if (boards+size-1)/size != parts {
			continue // fewer parts are as large
		}
		if cost := (tiles*parts + units - 1) / units * (size + each); least == 0 || cost < least {
			least, j.parts, j.boards = cost, parts, boards
		}
	}
	return tiles * j.parts
}

// table returns the jobs, and adds the sums of their parts to those that follow. The first block is at a
// place.
func (j *jobs) table(m *mixed, block int) (all []int32) {
	size := (j.boards + j.parts - 1) / j.parts
	for _, l := range j.layers {
		in, out := l.tiles()
		m.add(l, j.parts, block+len(all)/8*int(j.taps))
		for part := range j.parts {
			first := part * size
			for i := range in {
				for o := range out {
					all = append(all, int32(l.xAt), int32(width(l.in)/8), int32(l.gAt), int32(width(l.out)/8), int32(first), int32(min(size, j.boards-first)), int32(8*i), int32(8*o))
				}
			}
		}
	}
	return all
}

// add adds the sum of a layer's parts to those that follow. The first block is at a place.
func (m *mixed) add(l jobLayer, parts, block int) {
	in, out := l.tiles()
	m.adding = append(m.adding, int32(l.at), int32(l.in), int32(l.out), int32(l.taps), int32(parts), int32(block), int32(out), int32(in*out))
	m.largest.adding = max(m.largest.adding, in*out*l.taps*16) // groups of 4 of 64 inputs
}

// prepare plans the launch on a device, and returns the number of blocks that it computes.
func (j *jobs) prepare(i compute.Info, boards int) (blocks int) {
	if j.taps != 9 || i.Compute != 90 {
		return j.plan(boards) * int(j.taps)
	}
	j.groups, j.counts = j.segments(boards)
	for n, l := range j.layers {
		blocks += j.counts[n] * l.count() * int(j.taps)
	}
	return blocks
}

// launch returns the groups of the launch, and its call. Its blocks begin at a place in parts.
func (j *jobs) launch(t *tape, parts compute.Buffer, block int) ([2]int, kernels.Call) {
	m := t.mixed
	if j.groups == nil {
		numbers := j.table(m, block)
		return [2]int{len(numbers) / 8, 1}, kernels.Outer{
			Taps: j.taps, X: m.acts.buffer, G: m.slopes.buffer, Parts: parts, PartsAt: block, Jobs: t.constants(numbers), Memory: kernels.OuterMemory,
		}
	}
	numbers, firsts := j.segmentTable(m, block)
	return [2]int{len(j.groups), 1}, kernels.Segments{
		Launch: kernels.Launch{Kernel: hopper.Outer, Group: hopper.OuterThreads}, X: m.acts.buffer, G: m.slopes.buffer, Parts: parts,
		Segments: t.constants(numbers), Firsts: t.constants(firsts), Memory: hopper.OuterShared,
	}
}
