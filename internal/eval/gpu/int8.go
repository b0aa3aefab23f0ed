package gpu

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
	"warren/internal/eval"
	"warren/net"
)

// int8Numbers is the name of the numbers of NewInt8.
const int8Numbers = "int8"

// NewInt8 is New with residual blocks in 8-bit integers, the rest in fp16, on devices of compute
// capability 9.0. Where the kernel or the network does not allow this, it warns and returns the network in
// fp16. It warns once of a kernel that the device does not compute, which it does not try again.
func NewInt8(d *Device, n *net.Network) (*Backend, error) {
	form := kernels.Form{Half: true, Tensor: true}
	of := build{form: form}
	if t := towerOf(d.Info(), form, n); t.Whole {
		of.tower = t.InBytes()
	}
	if d.refuses(of.bytes()) {
		return New(d, n, form)
	}
	b, err := newInt8(d, n, of)
	if err == nil || errors.Is(err, eval.ErrLost) {
		return b, err
	}
	b, other := New(d, n, form)
	if other != nil {
		return nil, other
	}
	slog.Warn("evaluation is in fp16 and not in int8", "device", d.Name(), "error", err)
	return b, nil
}

// bytes names the kernel in bytes to refuse and refuses.
func (b build) bytes() string { return cmp.Or(b.tower.Kernel, int8Numbers) }

func newInt8(d *Device, n *net.Network, of build) (*Backend, error) {
	if !of.tower.Bytes {
		d.refuse(of.bytes())
		return nil, fmt.Errorf("a network %v on a device of compute capability %.1f; int8 is for 9.0, and for networks with residual blocks of 64, 128 or 256 channels and heads that begin with at most 64", n.Config, float64(d.Info().Compute)/10)
	}
	q, err := quantise(d.Name(), n)
	if err != nil {
		return nil, err
	}
	p, err := newPlanOf(n, of, q)
	if err != nil {
		return nil, fmt.Errorf("preparing a network %v for %s: %w", n.Config, d.Name(), err)
	}
	if err := d.checkBytes(of, q.blocks, n); err != nil {
		if !errors.Is(err, eval.ErrLost) {
			d.refuse(of.bytes()) // whatever the network is
		}
		return nil, err
	}
	b := &Backend{device: d, plan: p, most: mostPositions(d.Info(), p)}
	return b, b.check(n)
}

// wholeInBytes is whole in bytes.
func (p *lowering) wholeInBytes(first *net.FirstLayers) activation {
	b, _ := blocksOf(p.program)
	every, _ := b.every()
	stem := p.program.Op(b.input).Layer
	y := p.activation(64 * p.form.Channels(first.Width) * p.form.Size())
	p.byteNetwork(p.input, y, p.quantised.blocks, every, outer{
		stem: p.network.Weight(stem), stemBias: p.network.Bias(stem),
		first: first.Weight, firstBias: widened(first.Bias, first.Width, hopper.Rows), width: p.form.Channels(first.Width),
	})
	return y
}

// outer is what a kernel in bytes has around the blocks.
type outer struct {
	stem, stemBias, first, firstBias []float32
	width                            int
}

// byteNetwork adds the kernel of a network in bytes.
func (p *lowering) byteNetwork(positions, y activation, blocks *hopper.Bytes, every int, o outer) {
	weights, biases, scales, pools := blocks.Memory(p.tower)
	w := p.tensor(slices.Concat(p.tower.PackStem(o.stem), weights, p.tower.PackFirst(o.first)))
	bias, scale := p.tensor(kernels.Floats(slices.Concat(o.stemBias, biases, o.firstBias))), p.tensor(kernels.Floats(scales))
	pool := p.tensor(p.form.Store(append(pools, make([]float32, 4)...))) // at least four, which are not read
	call := kernels.ByteNetwork{
		Launch: p.towerLaunch(), Blocks: len(blocks.Blocks), Every: every, Width: o.width, Local: compute.Local(p.tower.Shared()),
	}
	scratch := y // not used
	if blocks.Channels > 128 {
		scratch = p.activation(64 * blocks.Channels * p.form.Size())
	}
	p.run(call.Launch.Boards, call.Launch.Parts, func(m memory) kernels.Call {
		k := call
		k.Positions, k.Y, k.Scratch, k.Boards = positions.in(m), y.in(m), scratch.in(m), m.boards
		k.Weights, k.Biases, k.Scales, k.Pool = w.in(m), bias.in(m), scale.in(m), pool.in(m)
		return k
	})
}

// checkBytes compares the kernel with plain Go, bit by bit: some blocks of the network, with a stem and first
// layers whose sums are exact, for a few positions.
func (d *Device) checkBytes(of build, blocks *hopper.Bytes, n *net.Network) error {
	all, _ := blocksOf(n.Program)
	every, _ := all.every()
	few := *blocks
	few.Blocks = few.Blocks[:min(len(few.Blocks), max(every, 2))]
	p := &lowering{plan: &plan{build: of}}
	p.input = p.activation(inputBytes)
	y := p.activation(64 * hopper.Rows * p.form.Size())
	stem, first := few.Passing()
	p.byteNetwork(p.input, y, &few, every, outer{stem, make([]float32, few.Channels), first, make([]float32, hopper.Rows), hopper.Rows})

	positions := checked()
	const boards = 5 // which are not all in one set
	b := &Backend{device: d, plan: p.plan, most: most}
	opened, err := b.Open(boards)
	if err != nil {
		return err
	}
	defer opened.Close()
	s := opened.(*stream).slot
	var planes []float32
	for i := range boards {
		net.EncodeBits(positions.Position(i%positions.Len()), &s.bits[i])
		x := make([]float32, net.InputSize)
		s.bits[i].Expand(x)
		planes = append(planes, x...)
	}
	want := p.form.Store(few.Passed(planes))
	got, err := b.context.Staging(len(want))
	if err != nil {
		return b.refuse(err)
	}
	defer got.Release()
	if err := s.once(boards, y, got); err != nil {
		return b.refuse(err)
	}
	if !bytes.Equal(got.Bytes()[:len(want)], want) {
		return fmt.Errorf("%s computes other bits than plain Go with the kernel %s", d.Name(), of.tower.Kernel)
	}
	return nil
}

// once runs the plan for the boards whose positions are written, and reads the activation y.
func (s *slot) once(boards int, y activation, to compute.Staging) error {
	if err := s.queue.Write(s.plan.input.in(s.memory), s.input, boards*inputBytes); err != nil {
		return err
	}
	if err := s.queue.Launch(s.plan.launches(nil, s.kernels, boards)...); err != nil {
		return err
	}
	if err := s.queue.Read(to, y.in(s.memory), len(to.Bytes())); err != nil {
		return err
	}
	mark, err := s.queue.Flush()
	if err != nil {
		return err
	}
	return mark.Wait()
}
