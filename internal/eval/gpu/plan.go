package gpu

import (
	"warren/game"
	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/net"
)

// plan is a network as a list of kernels to run, with its weights packed. It numbers the memory,
// so that all streams share it.
type plan struct {
	build
	tensors     [][]byte // weights
	activations []int    // bytes for each position
	steps       []step
	limits      *limits // of numbers of 8 bits, or nil

	input, wanted activation // what the host writes
	outputs       activation // the numbers of the heads
	answers       activation // what the host reads
	size          int        // numbers in the outputs of a position
	logistic      []bool     // for each of them after the policy's, whether it is a logit
}

// tensor and activation are indices of weights and of activations.
type (
	tensor     int
	activation int
)

// none stands for an activation that a convolution does not have.
const none activation = -1

// memory is what a plan has on a device.
type memory struct {
	weights     []compute.Buffer // by tensor, shared by all streams
	activations []compute.Buffer
	boards      int // for which there are activations
}

func (t tensor) in(m memory) compute.Buffer     { return m.weights[t] }
func (r activation) in(m memory) compute.Buffer { return m.activations[r] }

// step is the run of a kernel on the positions of a batch.
type step struct {
	boards int // positions that a work group works on
	parts  int // work groups for the same positions
	// runs reports whether the step is for a batch. If it is nil, it is for all.
	runs func(batch int) bool
	// call must not hold the network, whose weights would stay in memory with the packed ones.
	call func(memory) kernels.Call
}

// most is the largest number of positions that a work group works on. The memory for
// activations is a multiple of it.
const most = 16

// lowering is a plan that is being made.
type lowering struct {
	*plan
	network *net.Network
	program *net.Program

	quantised *quantised // if the tower is in bytes
}

// newPlan returns the plan of a network. It fails if the network has an operation that no kernel
// computes. The build must be one of buildsOf.
func newPlan(n *net.Network, of build) (*plan, error) {
	return newPlanOf(n, of, nil)
}

// newPlanOf is newPlan for a tower in bytes, with the network's blocks.
func newPlanOf(n *net.Network, of build, q *quantised) (*plan, error) {
	made := &plan{build: of}
	p := &lowering{plan: made, network: n, program: n.Program, quantised: q}
	p.input = p.activation(inputBytes)
	played, err := p.played()
	if err != nil {
		return nil, err
	}
	first, err := n.FirstLayers()
	if err != nil {
		return nil, err
	}
	boards := none
	switch {
	case of.isResident():
		boards = p.residents(first)
	case of.tower.Bytes:
		made.limits = q.limits
		boards = p.wholeInBytes(first)
	case of.tower.Whole:
		boards = p.whole(first)
	default:
		if boards, err = p.layers(first); err != nil {
			return nil, err
		}
	}
	if err := p.heads(played, first, boards); err != nil {
		return nil, err
	}
	p.answers = p.activation(wantedBytes)
	p.wanted = p.activation(wantedBytes)
	logits := 0
	for i, is := range p.logistic {
		if is {
			logits |= 1 << i
		}
	}
	p.run(1, 1, func(m memory) kernels.Call {
		return kernels.Answer{
			X: made.outputs.in(m), Wanted: made.wanted.in(m), Y: made.answers.in(m),
			Size: made.size, First: game.NumActions, Logits: logits,
		}
	})
	return made, nil
}

// layers adds the operations up to the first layers of the heads, and returns the place of their
// result.
func (p *lowering) layers(first *net.FirstLayers) (activation, error) {
	made, planes := p.plan, p.form.Channels(net.NumPlanes)
	encoded := p.activation(64 * planes * p.form.Size())
	p.run(1, 1, func(m memory) kernels.Call {
		return kernels.Expand{Input: made.input.in(m), Y: encoded.in(m), Channels: planes}
	})
	trunk, err := p.trunk(encoded)
	if err != nil {
		return none, err
	}
	boards := p.activation(64 * p.form.Channels(first.Width) * p.form.Size())
	p.conv(convolution{
		shape: kernels.ConvShape{In: first.Channels, Out: first.Width, Taps: 1},
		w:     first.Weight, b: first.Bias, x: trunk, y: boards, rowBias: none, residual: none,
	})
	return boards, nil
}

func (p *plan) activation(bytes int) activation {
	p.activations = append(p.activations, bytes)
	return activation(len(p.activations) - 1)
}

func (p *plan) tensor(data []byte) tensor {
	p.tensors = append(p.tensors, data)
	return tensor(len(p.tensors) - 1)
}

func (p *plan) run(boards, parts int, call func(memory) kernels.Call) {
	p.steps = append(p.steps, step{boards: boards, parts: parts, call: call})
}

// convolution is a convolution with a ReLU.
type convolution struct {
	shape    kernels.ConvShape
	w, b     []float32
	x, y     activation
	rowBias  activation // holds a bias for each position, which is used instead of b; or none
	residual activation // or none
}

func (p *lowering) conv(c convolution) {
	l := p.form.Launch(c.shape)
	out := p.form.Channels(c.shape.Out)
	call := kernels.Conv{
		Launch: l, In: p.form.Channels(c.shape.In), Out: out, Stride: p.form.Stride(c.shape.Out), Taps: c.shape.Taps,
	}
	w := p.tensor(p.form.Pack(c.shape, c.w))
	var bias interface{ in(memory) compute.Buffer }
	if c.rowBias != none {
		bias, call.BiasBoard = c.rowBias, out
	} else {
		bias = p.tensor(kernels.Floats(widened(c.b, len(c.b), call.Stride)))
	}
	x, y, residual := c.x, c.y, c.x // the residual is not read without its flag
	if c.residual != none {
		residual, call.Flags = c.residual, kernels.AddResidual
	}
	p.run(l.Boards, l.Parts, func(m memory) kernels.Call {
		k := call
		k.X, k.W, k.Bias, k.Residual, k.Y = x.in(m), w.in(m), bias.in(m), residual.in(m), y.in(m)
		return k
	})
}

// pool adds the means and maxima of channels.
func (p *plan) pool(x, y activation, channels int) {
	p.run(1, groups(channels), func(m memory) kernels.Call {
		return kernels.Pool{X: x.in(m), Y: y.in(m), Channels: channels}
	})
}

// dense is a product with a matrix.
type dense struct {
	kernels.Dense      // its numbers; the memory is filled in later
	stored        bool // x is in the form's numbers, not in fp32
	x, y          activation
	w, b          []float32
}

func (p *plan) dense(d dense) {
	if p.form.Multiplies(d.Dense) && d.stored {
		p.product(d)
		return
	}
	w, b := p.tensor(kernels.Floats(d.w)), p.tensor(kernels.Floats(d.b))
	call, stored, x, y := d.Dense, d.stored, d.x, d.y
	call.Outputs = len(d.b)
	p.run(4, groups(call.Rows*call.Outputs), func(m memory) kernels.Call {
		k := call
		k.X, k.W, k.Bias, k.Y = x.in(m), w.in(m), b.in(m), y.in(m)
		if stored {
			return kernels.DenseStored(k)
		}
		return k
	})
}

// product adds a product on tensor cores.
func (p *plan) product(d dense) {
	outputs := len(d.b)
	padded := groups(outputs) * 64
	w := p.tensor(p.form.Pack(kernels.ConvShape{In: d.Inputs, Out: padded, Taps: 1}, widened(d.w, outputs, padded)))
	b, x, y := p.tensor(kernels.Floats(d.b)), d.x, d.y
	call := kernels.Product{
		XBoard: d.XBoard, XAt: d.XAt, Run: d.Run, Inner: d.Inner, Inputs: d.Inputs, Outputs: outputs, YBoard: d.YBoard, YAt: d.YAt, Relu: d.Relu,
	}
	p.run(16, groups(outputs), func(m memory) kernels.Call {
		k := call
		k.X, k.W, k.Bias, k.Y = x.in(m), w.in(m), b.in(m), y.in(m)
		return k
	})
}

// groups is the number of work groups of 64 items for n items.
func groups(n int) int { return (n + 63) / 64 }

// widened copies rows of numbers to longer rows, with zeros at their ends.
func widened(v []float32, from, to int) []float32 {
	rows := len(v) / from
	w := make([]float32, rows*to)
	for r := range rows {
		copy(w[r*to:], v[r*from:][:from])
	}
	return w
}

func sum(a, b []float32) []float32 {
	s := make([]float32, len(a))
	for i := range s {
		s[i] = a[i] + b[i]
	}
	return s
}

// perPosition returns the bytes that the plan needs on the device for each position of a batch.
func (p *plan) perPosition() (bytes int) {
	for _, r := range p.activations {
		bytes += r
	}
	return bytes
}

// launches returns the runs of the kernels for a batch.
func (p *plan) launches(all []compute.Launch, made []compute.Kernel, batch int) []compute.Launch {
	for i, s := range p.steps {
		if s.runs != nil && !s.runs(batch) {
			continue
		}
		all = append(all, compute.Launch{Kernel: made[i], Groups: [2]int{(batch + s.boards - 1) / s.boards, s.parts}})
	}
	return all
}
