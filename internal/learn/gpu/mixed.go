package gpu

import (
	"fmt"
	"math"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
	"warren/net"
)

// mixed is the part of a tape that computes in mixed precision (Micikevicius et al. 2018): the products of
// the trunk and of the layers that read it, with weights and boards in bf16 and sums in fp32. Boards of one
// kind are in one piece of memory, so that a launch can take those of all layers: the gradients by all
// weights are the last that a backward pass computes.
type mixed struct {
	acts, slopes, packed, sums room
	packing, adding, biases    []int32 // tables of layers, of 8 numbers each
	jobs                       map[kernels.Taps]*jobs
	largest                    largest
	minibatch                  int     // whose kernels it has
	chains                     *chains // nil if the device has none
}

// room is memory from which parts are taken.
type room struct {
	buffer compute.Buffer
	used   int
}

func (r *room) take(n int) (at int) {
	r.used += n
	return r.used - n
}

// largest are the groups that the largest entry of each table needs.
type largest struct{ packing, adding, biases int }

// halves is where a board in bf16 and its gradient are. Places are in units of 8 numbers, but for sums.
type halves struct {
	at, slopeAt, sumsAt int
	relu                bool
	left                int // gradients that are not yet added
	addedAt             int // the sum of those before, -1 if there are none
}

// next counts a gradient by the board. It returns the flags and the place of what is added to it.
func (h *halves) next() (flags, addedAt int) {
	h.left--
	if h.addedAt >= 0 {
		flags |= kernels.MixedResidual
	}
	if h.left == 0 {
		flags |= kernels.MixedSums
		if h.relu {
			flags |= kernels.MixedMask
		}
	}
	addedAt, h.addedAt = max(h.addedAt, 0), h.slopeAt
	return flags, addedAt
}

// width is the number of channels of a board in bf16.
func width(channels int) int { return kernels.Padded(channels, 16) }

// units is the size of boards in bf16.
func (t *tape) units(channels int) int { return t.boards * 64 * width(channels) / 8 }

// fragments is the size of packed weights.
func fragments(taps, in, out int) int { return taps * width(in) * kernels.Padded(out, 32) / 8 }

// mix allocates the memory of a network. It fails if an operation has no kernel in mixed precision.
func (t *tape) mix(p *net.Program, layers []matrix, k *hopper.Chain, minibatch int) error {
	m := &mixed{minibatch: minibatch, jobs: map[kernels.Taps]*jobs{9: newJobs(9), 1: newJobs(1)}}
	t.mixed = m
	if k != nil {
		m.chains = &chains{Chain: *k}
	}
	var acts, slopes, sums, packed int
	half := make([]bool, len(p.Ops))
	half[net.Input] = true
	acts = t.units(net.NumPlanes)
	for v := net.Input + 1; int(v) < len(p.Ops); v++ {
		o := p.Op(v)
		if o.Kind == net.Pool || !half[o.X] {
			continue
		}
		if o.Kind == net.Dense {
			return fmt.Errorf("no kernel in mixed precision computes operation %d of the network", v)
		}
		w := layers[o.Layer]
		slopes, sums = slopes+t.units(w.out), sums+t.boards*w.out
		packed += fragments(w.taps, w.in, w.out) + fragments(w.taps, w.out, w.in)
		if o.Kind == net.Conv3x3 {
			half[v] = true
			acts += t.units(w.out)
		}
	}
	if most := 8 * max(acts, slopes); most > math.MaxInt32 {
		return fmt.Errorf("a minibatch of %d positions has %d numbers in all layers, more than a kernel can count; a smaller learner.batch has fewer", t.boards, most)
	}
	m.acts.buffer, m.slopes.buffer = t.buffer(4*acts), t.buffer(4*slopes)
	m.packed.buffer, m.sums.buffer = t.buffer(4*packed), t.buffer(sums)
	return t.err
}

// planes puts the expansion of the input on the tape, and returns it.
func (t *tape) planes(bits compute.Buffer) *value {
	x := &value{rows: 64 * t.boards, columns: net.NumPlanes, fixed: true, half: &halves{at: t.mixed.acts.take(t.units(net.NumPlanes))}}
	t.onForward([2]int{t.boards, 1}, kernels.Planes{Input: bits, Y: t.mixed.acts.buffer, YAt: x.half.at})
	t.endForward()
	return x
}

// pack takes memory for the weights of a layer, or of its backward pass, and returns its place.
func (m *mixed) pack(w matrix, back bool) int {
	in, out, flag := w.in, w.out, int32(0)
	if back {
		in, out, flag = w.out, w.in, 1
	}
	at := m.packed.take(fragments(w.taps, in, out))
	m.packing = append(m.packing, int32(w.at), int32(w.in), int32(w.out), int32(w.taps), int32(width(in)), int32(kernels.Padded(out, 32)), int32(at), flag)
	m.largest.packing = max(m.largest.packing, fragments(w.taps, in, out)/64) // groups of 16x32 weights
	return at
}

// convolution returns the groups of a call, and the call in its shape.
func (t *tape) convolution(c kernels.MixedConv) ([2]int, kernels.MixedConv) {
	m := t.mixed
	c.W, c.Bias, c.Sums, c.Mask, c.Boards = m.packed.buffer, t.weights, m.sums.buffer, m.acts.buffer, t.boards
	for _, b := range []*compute.Buffer{&c.BoardBias, &c.Residual} {
		if *b == nil {
			*b = m.slopes.buffer // not read
		}
	}
	c.In, c.Stride = width(c.In), kernels.Padded(c.Out, 32)
	c.Shape = m.shape(c)
	c.Memory = c.Shape.Memory(c.Taps)
	return c.Shape.Groups(t.boards, c.Out), c
}

// shape returns the shape of a convolution with the most work for a group that still keeps a large device busy.
func (m *mixed) shape(c kernels.MixedConv) kernels.MixedShape {
	shapes := kernels.ShapesOf(c.Taps, c.Out)
	for _, s := range shapes {
		if grid := s.Groups(m.minibatch, c.Out); 10*grid[0]*grid[1] >= 9*units {
			return s
		}
	}
	return shapes[len(shapes)-1]
}

// units is the number of multiprocessors of a large device, an H100.
const units = 132

// mixedLayer is layer of a board in bf16. The result is in fp32 if plain.
func (t *tape) mixedLayer(x *value, w matrix, add terms, relu, plain bool) *value {
	m := t.mixed
	y, h := &value{rows: x.rows, columns: w.out, branch: t.branches.now}, &halves{relu: relu, addedAt: -1}
	x.half.left++
	c := kernels.MixedConv{Taps: kernels.Taps(w.taps), X: m.acts.buffer, XAt: x.half.at, BiasAt: w.at + w.inputs()*w.out, In: w.in, Out: w.out, Flags: kernels.MixedBias}
	if plain {
		y.data = t.buffer(y.size())
		c.Y, c.Flags = y.data, c.Flags|kernels.MixedPlain
	} else {
		y.half, h.at = h, m.acts.take(t.units(w.out))
		c.Y, c.YAt = m.acts.buffer, h.at
	}
	if add.boardBias != nil {
		c.BoardBias, c.Flags = add.boardBias.data, c.Flags|kernels.MixedBoardBias
	}
	if add.residual != nil {
		add.residual.half.left++
		c.Residual, c.ResidualAt, c.Flags = m.acts.buffer, add.residual.half.at, c.Flags|kernels.MixedResidual
	}
	if relu {
		c.Flags |= kernels.MixedReLU
	}
	t.convolve(c, w, false)
	h.slopeAt, h.sumsAt = m.slopes.take(t.units(w.out)), m.sums.take(t.boards*w.out)
	t.gradients = append(t.gradients, func() { t.mixedGradients(x, y, h, w, add) })
	return y
}

// mixedGradients adds the gradients of a layer, whose result's own is at h.
func (t *tape) mixedGradients(x, y *value, h *halves, w matrix, add terms) {
	m := t.mixed
	if y.half == nil {
		flags := 0
		if h.relu {
			flags = kernels.MixedMask
		}
		t.onBackward([2]int{t.boards, width(w.out) / 16}, kernels.Narrowed{
			Y: y.data, G: y.slope, Slopes: m.slopes.buffer, DxAt: h.slopeAt, Sums: m.sums.buffer, SumsAt: h.sumsAt, Columns: w.out, Flags: flags,
		})
		t.give(y.slope, y.size())
	}
	m.bias(w, h.sumsAt)
	m.jobs[kernels.Taps(w.taps)].add(x.half.at, h.slopeAt, w)
	var made *pooledBias
	if add.boardBias != nil {
		made = add.boardBias.product
		add.boardBias.slope = t.take(add.boardBias.size())
		split := t.run([2]int{t.boards, groups(w.out)}, kernels.Split{
			G: m.sums.buffer, Dx: add.boardBias.slope, Squares: 1, Columns: w.out, Size: w.out, At: h.sumsAt,
		})
		if made != nil {
			made.split = split
		} else {
			t.endChains()
			t.backward = append(t.backward, split)
		}
	}
	if !x.fixed {
		flags, addedAt := x.half.next()
		c := kernels.MixedConv{
			Taps: kernels.Taps(w.taps), X: m.slopes.buffer, XAt: h.slopeAt, Residual: m.slopes.buffer, ResidualAt: addedAt,
			MaskAt: x.half.at, Y: m.slopes.buffer, YAt: x.half.slopeAt, SumsAt: x.half.sumsAt, In: w.out, Out: w.in, Flags: flags,
		}
		if made != nil {
			t.linkPooled(c, x, w, made, h.sumsAt)
		} else {
			t.gradientOf(x, func() { t.convolve(c, w, true) })
		}
	}
	if add.residual != nil {
		add.residual.half.next() // the first; others are added to it
		add.residual.half.addedAt = h.slopeAt
	}
}

// bias adds the gradient by a bias to those that a backward pass ends with.
func (m *mixed) bias(w matrix, sumsAt int) {
	m.biases = append(m.biases, int32(w.at+w.inputs()*w.out), int32(sumsAt), int32(w.out), 0, 0, 0, 0, 0)
	m.largest.biases = max(m.largest.biases, (w.out+7)/8)
}

// poolMixed is pool of a board in bf16.
func (t *tape) poolMixed(x *value) *value {
	y, m := t.result(t.boards, 2*x.columns), t.mixed
	x.half.left++
	t.onForward([2]int{t.boards, groups(x.columns)}, kernels.PoolMixed{X: m.acts.buffer, XAt: x.half.at, Y: y.data, Columns: x.columns})
	t.gradients = append(t.gradients, func() {
		flags, addedAt := x.half.next()
		t.gradientOf(x, func() {
			t.onBackward([2]int{t.boards, groups(width(x.columns))}, kernels.PoolMixedGradient{
				X: m.acts.buffer, XAt: x.half.at, Y: y.data, G: y.slope, Slopes: m.slopes.buffer, AddedAt: addedAt, DxAt: x.half.slopeAt,
				Sums: m.sums.buffer, SumsAt: x.half.sumsAt, Columns: x.columns, Flags: flags,
			})
		})
	})
	return y
}

// finishMixed begins the forward pass with the packing of weights, and ends the backward pass with the
// gradients by weights and biases.
func (t *tape) finishMixed(losses []compute.Launch) {
	t.backwardStages(losses)
	m := t.mixed
	table := func(v []int32) (compute.Buffer, int) { return t.constants(v), len(v) / 8 }
	packing, layers := table(m.packing)
	pack := t.run([2]int{m.largest.packing, layers}, kernels.Pack{W: t.weights, Packed: m.packed.buffer, Layers: packing})
	t.before[0] = append(t.before[0], []compute.Launch{pack}, t.packChains())

	ones, nines := m.jobs[1], m.jobs[9]
	first := nines.prepare(t.info, t.boards)
	parts := t.buffer((first + ones.prepare(t.info, t.boards)) * blockSize)
	// The first fills the device, and the others what it leaves.
	sequences := append([][]compute.Launch{{t.run(nines.launch(t, parts, 0))}, {t.run(ones.launch(t, parts, first))}}, t.branches.later...)
	biases, layers := table(m.biases)
	sequences = append(sequences, []compute.Launch{
		t.run([2]int{m.largest.biases, layers}, kernels.AddBoards{Sums: m.sums.buffer, Gradient: t.gradient, Layers: biases, Boards: t.boards}),
	})
	t.after.stage(sequences...)
	adding, layers := table(m.adding)
	t.after.stage([]compute.Launch{t.run([2]int{m.largest.adding, layers}, kernels.AddParts{Parts: parts, Gradient: t.gradient, Layers: adding})})
}
