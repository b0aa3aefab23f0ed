package gpu

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"warren/game"
	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/compute/ptx"
	"warren/internal/eval/cpu"
	"warren/internal/learn"
	"warren/internal/learn/graph"
	"warren/internal/learn/learntest"
	"warren/internal/nettest"
	"warren/net"
)

// interpreter returns a device that interprets PTX, reports races, and has guarded memory.
func interpreter() guarded { return guarded{new(ptx.Device)} }

// exact returns a network whose weights are small whole numbers, few of them not 0, so that its boards are exact in bf16.
func exact(t *testing.T, c net.Config, seed uint64) *net.Network {
	n := nettest.Lively(t, c, seed)
	r := rand.New(rand.NewPCG(seed, 9))
	for _, p := range n.Params {
		inputs := len(p.Data) / p.Shape[len(p.Shape)-1]
		for i := range p.Data {
			p.Data[i] = 0
			means := strings.HasSuffix(p.Name, "pool.weight") && i/p.Shape[1] < inputs/2
			switch {
			case len(p.Shape) == 1:
				p.Data[i] = float32(r.IntN(2))
			case !means && r.IntN(inputs) < 3: // means are no whole numbers
				p.Data[i] = float32(2*r.IntN(2) - 1)
			}
		}
	}
	return n
}

// quarters returns a batch in which only the value has a loss, whose gradient is a quarter of a power of 2, so that all
// gradients by boards are exact in bf16, too.
func quarters(t *testing.T, n *net.Network, seed uint64, size int) *learn.Batch {
	b := learntest.Lesson(n.Config, seed, size)
	for i := range size {
		g := nettest.Played(seed, 30+i)
		for actions := 40; ; actions++ {
			if _, _, pushed := g.Push(); !pushed { // a push is encoded as a multiple of 1/6
				break
			}
			g = nettest.Played(seed, actions)
		}
		net.EncodeBits(g, &b.Bits[i])
	}
	backend, err := cpu.New(n)
	if err != nil {
		t.Fatal(err)
	}
	values := b.Targets[1].Values
	backend.NewPlan(size).Forward(b.Bits, size, make([]float32, size*game.NumActions), values)
	for i, chance := range values {
		values[i] = chance - 0.25
		if chance < 0.5 {
			values[i] = chance + 0.25
		}
		b.Targets[1].Weight[i] = 1
	}
	return b
}

// TestMixedGradients compares losses and gradients by every parameter with those in fp32, where nothing that is kept in
// bf16 is rounded. All compute boards directly, so that zeros are zeros. The widths are multiples of 32, of 16 and of 8,
// and more than 64. Kernels are those for Hopper and, in the first case, those for other devices.
func TestMixedGradients(t *testing.T) {
	for i, c := range []struct {
		net.Config
		boards int
	}{
		{nettest.Everything, 4},
		{net.Config{Blocks: 2, Channels: 40, PoolEvery: 1, PolicyChannels: 16, ValueChannels: 8, ValueHidden: 36, Auxiliary: everyHead}, 1},
		{net.Config{Blocks: 1, Channels: 80, PolicyChannels: 1, ValueChannels: 4, ValueHidden: 8}, 2},
		{net.Config{Blocks: 1, Channels: 128, PolicyChannels: 2, ValueChannels: 64, ValueHidden: 8}, 1},
		{net.Config{Blocks: 2, Channels: 64, PoolEvery: 2, PolicyChannels: 2, ValueChannels: 4, ValueHidden: 8}, 2},
	} {
		if testing.Short() && i > 0 {
			break
		}
		n := exact(t, c.Config, uint64(i))
		b := quarters(t, n, uint64(7+i), c.boards)
		var losses []learn.Losses
		var gradients [][]float32
		for k, p := range []Precision{FP32, BF16, BF16} {
			d := interpreter()
			if k == 2 {
				d.Device = ampere(d)
			}
			if k == 2 && i > 0 {
				break
			}
			tr := trainerOf(t, d, n, config(c.boards), p)
			clear(tr.LossWeights)
			tr.LossWeights[1] = 1
			l, g := gradientOf(t, tr, b)
			tr.memory.context.(*guardedContext).intact(t)
			losses, gradients = append(losses, l), append(gradients, g)
		}
		for other := 1; other < len(losses); other++ {
			for k, l := range losses[0] {
				if !(math.Abs(losses[other][k].Mean-l.Mean) <= 1e-4*(1+l.Mean)) {
					t.Errorf("%v: the losses are %+v, want %+v", c, losses[other][k], l)
				}
			}
			at := 0
			for _, p := range n.Params {
				size, off := 0.0, 0.0
				for range p.Data {
					size += math.Pow(float64(gradients[0][at]), 2)
					off += math.Pow(float64(gradients[other][at]-gradients[0][at]), 2)
					at++
				}
				if !(off <= 1e-10*size) || p.Name == "stem.weight" && size == 0 {
					t.Errorf("%v: the gradient by %s differs by %g (norm %g)", c, p.Name, math.Sqrt(off), math.Sqrt(size))
				}
			}
		}
	}
}

// ampere is a device of compute capability 8.0.
type ampere struct{ compute.Device }

func (a ampere) Info() compute.Info {
	i := a.Device.Info()
	i.Compute = 80
	return i
}

// TestMixedRestore continues from a state in another trainer: the same bits. The processor can continue, too.
func TestMixedRestore(t *testing.T) {
	c := settingsOf(learn.Adam)
	train := func(tr learn.Trainer, first, count int) {
		for i := range count {
			if _, err := tr.Step(learntest.Lesson(small(), uint64(first+i), 3), 0.003); err != nil {
				t.Fatal(err)
			}
		}
	}
	begun := nettest.Lively(t, small(), 1)
	tr := trainerOf(t, interpreter(), begun.Clone(), c, BF16)
	train(tr, 0, 2)
	saved := state(t, tr)
	train(tr, 2, 2)
	want := state(t, tr)
	again := trainerOf(t, interpreter(), nettest.Lively(t, small(), 2), c, BF16)
	if err := again.Restore(saved); err != nil {
		t.Fatal(err)
	}
	train(again, 2, 2)
	if !slices.EqualFunc(state(t, again), want, same) {
		t.Error("the steps after a restored state are others")
	}
	processor, err := graph.NewWorkers(nettest.Lively(t, small(), 3), c, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := processor.Restore(saved); err != nil {
		t.Errorf("the processor cannot continue: %v", err)
	}
	if err := processor.Close(); err != nil {
		t.Error(err)
	}
}

// TestMixedCountsAllLayers has more numbers in all layers than a kernel counts, and fewer in each.
func TestMixedCountsAllLayers(t *testing.T) {
	c := net.Config{Blocks: 4, Channels: 64, PolicyChannels: 8, ValueChannels: 8, ValueHidden: 8}
	m := open(interpreter(), kernels.Training())
	defer m.release()
	w, err := newNetwork(m, nettest.Lively(t, c, 1), 2)
	if err != nil {
		t.Fatal(err)
	}
	w.boards = 1 << 17 // 2^29 numbers a layer
	if err := w.mix(w.program, w.layers, nil, w.boards); err == nil || !strings.Contains(err.Error(), "a smaller learner.batch") {
		t.Errorf("got %v", err)
	}
}

// TestJobs divides the boards among the work groups: each board once for every tile.
func TestJobs(t *testing.T) {
	for _, c := range []struct{ layers, in, out, boards, groups int }{
		{12, 64, 64, 256, 132}, {20, 128, 128, 256, 240}, {40, 256, 256, 256, 640}, {1, 40, 72, 1, 2}, {2, 8, 8, 70, 70},
	} {
		j := newJobs(9)
		for i := range c.layers {
			j.add(i, 1000+i, matrix{at: 5, in: c.in, out: c.out, taps: 9})
		}
		groups := j.plan(c.boards)
		table := j.table(new(mixed), 0)
		if groups != c.groups || len(table) != 8*groups {
			t.Errorf("%+v: %d groups, and %d in the table", c, groups, len(table)/8)
		}
		seen := map[[5]int32]int{}
		for job := range slices.Chunk(table, 8) {
			for b := range job[5] {
				seen[[5]int32{job[0], job[2], job[6], job[7], job[4] + b}]++
			}
		}
		tiles := ((c.in + 63) / 64) * ((c.out + 63) / 64)
		if len(seen) != c.layers*tiles*c.boards || len(table) > 0 && slices.Max(slices.Collect(maps.Values(seen))) != 1 {
			t.Errorf("%+v: %d boards of tiles are computed, want %d, each once", c, len(seen), c.layers*tiles*c.boards)
		}
	}
}

// TestSegments divides the boards among the groups of the kernel for Hopper: each board once for every tile, in
// parts that are counted from 0, and about as much for each group.
func TestSegments(t *testing.T) {
	for _, c := range []struct{ layers, in, out, boards, groups int }{
		{12, 64, 64, 256, 132}, {20, 128, 128, 1024, 132}, {40, 256, 256, 256, 128}, {1, 40, 72, 1, 2}, {2, 8, 8, 70, 70}, {3, 1024, 64, 300, 128}, {2, 1024, 1024, 40, 132},
	} {
		j := newJobs(9)
		j.add(0, 0, matrix{in: 40, out: c.out, taps: 9})
		for range c.layers {
			j.add(0, 0, matrix{in: c.in, out: c.out, taps: 9})
		}
		groups, parts := j.segments(c.boards)
		type tile struct{ layer, tile, board int }
		seen, total := map[tile]int{}, 0
		ends := map[tile]int{} // of parts
		for _, group := range groups {
			for _, s := range group {
				for b := range s.boards {
					seen[tile{s.layer, s.tile, s.first + b}]++
				}
				ends[tile{s.layer, s.tile, s.part}]++
				total += s.boards
			}
		}
		most := 0
		for _, group := range groups {
			sum := 0
			for _, s := range group {
				sum += s.boards
			}
			most = max(most, sum)
		}
		if len(groups) > c.groups || most > total/len(groups)*11/10+fewest {
			t.Errorf("%+v: %d groups, of at most %d boards of all %d", c, len(groups), most, total)
		}
		want, wantEnds := 0, 0
		for n, l := range j.layers {
			want, wantEnds = want+l.count()*c.boards, wantEnds+l.count()*parts[n]
			for i := range l.count() {
				for part := range parts[n] {
					if ends[tile{n, i, part}] != 1 {
						t.Fatalf("%+v: part %d of tile %d of layer %d is computed %d times", c, part, i, n, ends[tile{n, i, part}])
					}
				}
			}
		}
		if len(seen) != want || total != want || len(ends) != wantEnds {
			t.Errorf("%+v: %d of %d boards of tiles are computed, %d times", c, len(seen), want, total)
		}
	}
}

// TestShapes computes a convolution in every shape: the same bits.
func TestShapes(t *testing.T) {
	const boards, in, out = 3, 80, 128
	m := open(interpreter(), kernels.Mixed())
	defer m.release()
	r := rand.New(rand.NewPCG(1, 7))
	random := func(units int) compute.Buffer {
		s := m.staged(4 * units)
		halves := unsafe.Slice((*uint16)(unsafe.Pointer(&s.data[0])), 8*units)
		for i := range halves {
			halves[i] = uint16(math.Float32bits(float32(r.NormFloat64())) >> 16)
		}
		m.write(s)
		return s.buffer
	}
	size := boards * 64 * out / 8
	x, w := random(4*64*in/8), random(9*in*out/8)
	more, bias := random(size), m.staged(out)
	clear(bias.data)
	m.write(bias)
	var first []float32
	for i, shape := range kernels.ShapesOf(9, out) {
		y, sums := m.staged(4*size), m.staged(boards*out)
		m.launch(m.run(shape.Groups(boards, out), kernels.MixedConv{
			Shape: shape, Taps: 9, X: x, W: w, Bias: bias.buffer, BoardBias: bias.buffer, Residual: more, Mask: more, Y: y.buffer, Sums: sums.buffer,
			Boards: boards, In: in, Out: out, Stride: out, Flags: kernels.MixedResidual | kernels.MixedMask | kernels.MixedSums, Memory: shape.Memory(9),
		}))
		m.read(y)
		m.read(sums)
		if err := m.wait(); err != nil {
			t.Fatalf("%v: %v", shape, err)
		}
		got := slices.Concat(y.data, sums.data)
		if i == 0 {
			first = got
		}
		if bits := func(v []float32) []byte { return kernels.Floats(v) }; !slices.Equal(bits(got), bits(first)) {
			t.Errorf("%v gives other bits", shape)
		}
	}
	m.context.(*guardedContext).intact(t)
}
