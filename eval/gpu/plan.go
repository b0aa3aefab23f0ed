package gpu

import (
	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/net"
)

// plan is a network as a list of kernels to run, with its weights packed. It refers to
// memory by number, so that all streams share it.
type plan struct {
	form    kernels.Form
	tensors [][]byte // weights
	rooms   []int    // activations: bytes for each position
	steps   []step

	input, wanted, outputs, gathered room   // what the host writes, and what it reads
	size                             int    // numbers in the outputs of a position
	logistic                         []bool // for each of them after the policy's, whether it is a logit
}

// tensor and room are numbers of weights and of activations.
type (
	tensor int
	room   int
)

// step is the run of a kernel.
type step struct {
	kernel string
	group  int // items of a work group
	boards int // positions that a work group works on
	parts  int // work groups for the same positions
	args   []any
}

// most is the largest number of positions that a work group works on. The memory for
// activations is a multiple of it.
const most = 8

// lowering is a plan that is being made.
type lowering struct {
	*plan
	network *net.Network
	program *net.Program
	choose  func(kernels.Conv) kernels.Launch
}

// newPlan returns the plan of a network. It fails if the network has a head that the plan cannot
// compute. Each convolution is run in the way that choose returns.
func newPlan(n *net.Network, form kernels.Form, choose func(kernels.Conv) kernels.Launch) (*plan, error) {
	p := &lowering{plan: &plan{form: form}, network: n, program: n.Program, choose: choose}
	planes := form.Channels(net.NumPlanes)
	p.input = p.room(inputBytes)
	encoded := p.room(64 * planes * form.Size())
	p.run(step{kernel: "expand", group: 64, boards: 1, parts: 1, args: []any{p.input, encoded, int32(planes)}})
	trunk, err := p.trunk(encoded)
	if err != nil {
		return nil, err
	}
	if err := p.heads(trunk); err != nil {
		return nil, err
	}
	p.gathered = p.room(wantedBytes)
	p.wanted = p.room(wantedBytes)
	p.run(step{kernel: "gather", group: 64, args: []any{p.outputs, p.wanted, p.gathered}})
	return p.plan, nil
}

func (p *plan) room(bytes int) room {
	p.rooms = append(p.rooms, bytes)
	return room(len(p.rooms) - 1)
}

func (p *plan) tensor(data []byte) tensor {
	p.tensors = append(p.tensors, data)
	return tensor(len(p.tensors) - 1)
}

func (p *plan) run(s step) { p.steps = append(p.steps, s) }

// bias packs the bias of a convolution.
func (p *lowering) bias(v []float32) tensor {
	return p.tensor(kernels.Floats(widened(v, len(v), p.form.Stride(len(v)))))
}

// conv adds a convolution with bias, residual if there is one, and ReLU. The bias is a
// tensor, or a room with a bias for each position.
func (p *lowering) conv(c kernels.Conv, x room, w tensor, bias any, residual *room, y room) {
	in, out := p.form.Channels(c.In), p.form.Channels(c.Out)
	each, flags, from := 0, 0, x
	if _, ok := bias.(room); ok {
		each = out
	}
	if residual != nil {
		flags, from = 1, *residual
	}
	l := p.choose(c)
	p.run(step{kernel: l.Kernel, group: l.Group, boards: l.Boards, parts: l.Parts, args: []any{
		x, w, bias, int32(each), from, y,
		int32(in), int32(out), int32(p.form.Stride(c.Out)), int32(c.Taps), int32(flags),
	}})
}

// pool adds the means and maxima of channels.
func (p *plan) pool(x, y room, channels int) {
	p.run(step{kernel: "pool", group: 64, boards: 1, parts: (channels + 63) / 64, args: []any{x, y, int32(channels)}})
}

// dense is a product with a matrix, as the kernel dense computes it.
type dense struct {
	x                               room
	stored                          bool // x is in the form's numbers, not in fp32
	xBoard, xAt, run, inner, inputs int
	rows                            int
	w, b                            []float32
	y                               room
	yBoard, yAt                     int
	relu                            bool
}

func (p *plan) dense(d dense) {
	kernel, relu, outputs := "dense", int32(0), len(d.b)
	if d.stored {
		kernel = "denseStored"
	}
	if d.relu {
		relu = 1
	}
	p.run(step{kernel: kernel, group: 64, boards: 4, parts: (d.rows*outputs + 63) / 64, args: []any{
		d.x, p.tensor(kernels.Floats(d.w)), p.tensor(kernels.Floats(d.b)), d.y,
		int32(d.xBoard), int32(d.xAt), int32(d.run), int32(d.inner), int32(d.inputs), int32(d.rows),
		int32(outputs), int32(d.yBoard), int32(d.yAt), relu,
	}})
}

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

// bytes returns the memory that the plan needs on the device for its weights, and for each position
// of a batch.
func (p *plan) bytes() (weights, position int) {
	for _, t := range p.tensors {
		weights += len(t)
	}
	for _, r := range p.rooms {
		position += r
	}
	return weights, position
}

// launches returns the runs of the kernels for a batch that wants a number of outputs.
func (p *plan) launches(all []compute.Launch, made []compute.Kernel, batch, wanted int) []compute.Launch {
	for i, s := range p.steps {
		l := compute.Launch{Kernel: made[i], Groups: [2]int{(wanted + s.group - 1) / s.group, 1}}
		if s.boards > 0 {
			l.Groups = [2]int{(batch + s.boards - 1) / s.boards, s.parts}
		}
		all = append(all, l)
	}
	return all
}
