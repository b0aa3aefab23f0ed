package gpu

import (
	"math"
	"slices"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/ampere"
	"warren/internal/compute/kernels/hopper"
	"warren/net"
)

// build is what a device compiles: the kernels of a form, and perhaps one that computes all residual
// blocks of a network.
type build struct {
	form     kernels.Form
	tower    hopper.Tower   // its name is empty if there is none
	resident ampere.Network // it has no channels if there is none
	units    int            // multiprocessors for which resident chooses among its kernels
}

func (b build) hasTower() bool { return b.tower.Kernel != "" }

func (b build) isResident() bool { return b.resident.Channels > 0 }

// kernel is the name of the kernel for all blocks, "" if there is none.
func (b build) kernel() string {
	if b.isResident() {
		return b.resident.Kernel()
	}
	return b.tower.Kernel
}

// precision names the numbers of the residual blocks.
func (b build) precision() string {
	if b.tower.Bytes {
		return int8Numbers
	}
	return b.form.Precision()
}

func (b build) program() compute.Program {
	p := b.form.Program()
	switch {
	case b.hasTower():
		p.More = append(p.More, b.tower.PTX)
	case b.isResident():
		p.More = append(p.More, b.resident.PTX)
	}
	return p
}

// buildsOf returns what a device can compile for a network, the fastest first: on Hopper the kernel of
// package hopper, on all devices with tensor cores that of package ampere, and single operations.
func buildsOf(i compute.Info, form kernels.Form, n *net.Network) (all []build) {
	if t := towerOf(i, form, n); t.Kernel != "" {
		all = append(all, build{form: form, tower: t})
	}
	if r := residentOf(form, n); r.Channels > 0 && i.Compute >= 80 {
		all = append(all, build{form: form, resident: r, units: i.Units})
	}
	return append(all, build{form: form})
}

// towerOf returns the kernel of package hopper for the blocks of a network on a device, with the stem and
// the heads' first layers if it can. Its name is empty if there is none.
func towerOf(i compute.Info, form kernels.Form, n *net.Network) hopper.Tower {
	b, ok := blocksOf(n.Program)
	if _, regular := b.every(); !ok || !regular || !form.Tensor || i.Compute != 90 {
		return hopper.Tower{}
	}
	t, ok := hopper.TowerOf(n.Program.Op(n.Program.Trunk).Channels)
	if !ok {
		return hopper.Tower{}
	}
	if firstWidth(form, n, b) <= hopper.Rows {
		return t.Network()
	}
	return t
}

// residentOf returns the kernel of package ampere for a network. It has no channels if there is none.
func residentOf(form kernels.Form, n *net.Network) ampere.Network {
	b, ok := blocksOf(n.Program)
	if _, regular := b.every(); !ok || !regular || !form.Tensor {
		return ampere.Network{}
	}
	r, ok := ampere.NetworkOf(n.Program.Op(n.Program.Trunk).Channels)
	if !ok || firstWidth(form, n, b) > r.Channels {
		return ampere.Network{}
	}
	return r
}

// firstWidth returns the outputs of the heads' first layers, which is very many if a kernel cannot
// compute them together with what comes before.
func firstWidth(form kernels.Form, n *net.Network, b blocks) int {
	first, err := n.FirstLayers()
	if err != nil || !isStem(n.Program, b.input) {
		return math.MaxInt32
	}
	return form.Channels(first.Width)
}

// isStem reports whether an operation is a convolution of the input with ReLU, and nothing else.
func isStem(p *net.Program, v net.Value) bool {
	o := p.Op(v)
	return o.Kind == net.Conv3x3 && o.X == net.Input && o.Activation == net.ReLU && len(o.Operands()) == 1
}

// blocks are the residual blocks at the end of a trunk, which all have its number of channels.
type blocks struct {
	input net.Value // what the first block reads
	all   []block
}

// block is a residual block: two convolutions with ReLU, whose second adds what the first reads, and
// perhaps, as a bias for each position, a product of the means and maxima of the first.
type block struct {
	first, second net.Value
	product       net.Value // or net.None
}

// blocksOf finds the blocks of a trunk. It reports false if the trunk does not end with one.
func blocksOf(p *net.Program) (b blocks, ok bool) {
	b.input = p.Trunk
	for {
		last, ok := blockOf(p, b.input)
		if !ok {
			break
		}
		b.all = append(b.all, last)
		b.input = p.Op(last.first).X
	}
	slices.Reverse(b.all)
	return b, len(b.all) > 0
}

// blockOf returns the block whose result is v.
func blockOf(p *net.Program, v net.Value) (b block, ok bool) {
	o := p.Op(v)
	if o.Kind != net.Conv3x3 || o.Residual == net.None {
		return b, false
	}
	in := p.Op(o.X)
	if in.Kind != net.Conv3x3 || in.X != o.Residual || in.Residual != net.None || in.RowBias != net.None {
		return b, false
	}
	b = block{first: o.X, second: v, product: o.RowBias}
	for _, of := range []*net.Op{o, in} {
		if of.Activation != net.ReLU || of.Channels != p.Op(p.Trunk).Channels || p.Op(of.X).Channels != of.Channels {
			return b, false
		}
	}
	if b.product == net.None {
		return b, true
	}
	d := p.Op(b.product)
	pooled := p.Op(d.X)
	return b, d.Kind == net.Dense && isProduct(d) && p.BiasOf(b.product) == v && isPool(pooled) && pooled.X == b.first
}

// every returns the distance between blocks with a product, the first of which comes after as many
// blocks, or 0 if there is none. It reports false if they are not at equal distances.
func (b blocks) every() (n int, ok bool) {
	n = 1 + slices.IndexFunc(b.all, func(x block) bool { return x.product != net.None })
	for i, x := range b.all {
		if pooled := n > 0 && (i+1)%n == 0; pooled != (x.product != net.None) {
			return 0, false
		}
	}
	return n, true
}

// blocks adds the kernel that computes all blocks of the trunk. It writes their result over x.
func (p *lowering) blocks(b blocks, x activation) {
	packed := p.pack(b, p.tower.Pack)
	w, bias, pool := p.tensor(packed.weights), p.tensor(kernels.Floats(packed.biases)), p.tensor(p.form.Store(packed.pools))
	every, _ := b.every()
	call := kernels.Tower{Launch: p.towerLaunch(), Blocks: len(b.all), Every: every, Local: compute.Local(p.tower.Shared())}
	p.run(call.Launch.Boards, call.Launch.Parts, func(m memory) kernels.Call {
		k := call
		k.X, k.Y, k.Weights, k.Biases, k.Pool, k.Boards = x.in(m), x.in(m), w.in(m), bias.in(m), pool.in(m), m.boards
		return k
	})
}

// whole adds the kernel that computes everything up to the first layers of the heads, and returns the
// place of their result.
func (p *lowering) whole(first *net.FirstLayers) activation {
	b, _ := blocksOf(p.program)
	every, _ := b.every()
	stem, packed := p.program.Op(b.input).Layer, p.pack(b, p.tower.Pack)
	w := p.tensor(slices.Concat(p.tower.PackStem(p.network.Weight(stem)), packed.weights, p.tower.PackFirst(first.Weight)))
	bias := p.tensor(kernels.Floats(slices.Concat(p.network.Bias(stem), packed.biases, widened(first.Bias, first.Width, hopper.Rows))))
	pool := p.tensor(p.form.Store(packed.pools))
	call := kernels.Network{
		Launch: p.towerLaunch(), Blocks: len(b.all), Every: every, Width: p.form.Channels(first.Width), Local: compute.Local(p.tower.Shared()),
	}
	input, y := p.input, p.activation(64*call.Width*p.form.Size())
	scratch := y // not used
	if first.Channels > 128 {
		scratch = p.activation(64 * first.Channels * p.form.Size())
	}
	p.run(call.Launch.Boards, call.Launch.Parts, func(m memory) kernels.Call {
		k := call
		k.Positions, k.Y, k.Scratch, k.Weights, k.Biases, k.Pool, k.Boards = input.in(m), y.in(m), scratch.in(m), w.in(m), bias.in(m), pool.in(m), m.boards
		return k
	})
	return y
}

func (p *lowering) towerLaunch() kernels.Launch {
	return kernels.Launch{Kernel: p.tower.Kernel, Group: hopper.Threads, Boards: p.tower.Boards, Parts: 1}
}

// residents adds the kernels of package ampere, of which a batch chooses one, as whole does.
func (p *lowering) residents(first *net.FirstLayers) activation {
	b, _ := blocksOf(p.program)
	every, _ := b.every()
	many, stem := p.resident, p.program.Op(b.input).Layer
	packed := p.pack(b, many.Pack)
	w := p.tensor(slices.Concat(many.Pack(p.network.Weight(stem)), packed.weights, many.PackFirst(first.Weight)))
	bias := p.tensor(kernels.Floats(slices.Concat(p.network.Bias(stem), packed.biases, widened(first.Bias, first.Width, many.Channels))))
	products := p.tensor(kernels.Floats(packed.pools))
	input, width := p.input, p.form.Channels(first.Width)
	y, units := p.activation(64*width*p.form.Size()), p.units
	for _, k := range many.Kernels() {
		call := kernels.Resident{
			Launch: kernels.Launch{Kernel: k.Kernel(), Group: ampere.Threads}, Blocks: len(b.all), Every: every, Width: width, Local: compute.Local(k.Shared()),
		}
		p.run(k.Boards, 1, func(m memory) kernels.Call {
			r := call
			r.Positions, r.Y, r.Weights, r.Biases, r.Products = input.in(m), y.in(m), w.in(m), bias.in(m), products.in(m)
			return r
		})
		p.steps[len(p.steps)-1].runs = func(batch int) bool { return many.For(batch, units) == k }
	}
	return y
}

// packed is the weights of blocks as their kernel reads them.
type packed struct {
	weights       []byte
	biases, pools []float32
}

func (p *lowering) pack(b blocks, pack func([]float32) []byte) (all packed) {
	for _, block := range b.all {
		for _, v := range []net.Value{block.first, block.second} {
			layer := p.program.Op(v).Layer
			all.weights = append(all.weights, pack(p.network.Weight(layer))...)
			all.biases = append(all.biases, p.network.Bias(layer)...)
		}
		if block.product != net.None {
			layer := p.program.Op(block.product).Layer
			all.pools = append(all.pools, p.network.Weight(layer)...)
			bias := p.network.Bias(layer)
			second := all.biases[len(all.biases)-len(bias):]
			copy(second, sum(second, bias))
		}
	}
	if all.pools == nil {
		all.pools = make([]float32, 4) // not read
	}
	return all
}
