package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
	"warren/internal/learn"
	"warren/net"
)

// Trainer trains a network on a device.
type Trainer struct {
	// LossWeights are the weights of the heads' losses, in the order of the network's heads.
	LossWeights []float64

	device  compute.Info
	config  learn.Config
	memory  *memory
	network *network
	update  *update
	state   *learn.State // the newest that came from the device
	slots   [2]slot      // the newest minibatch that was sent, and the one before it
	ahead   *learn.Batch // what was sent for the next step, or nil
	lost    error

	forward, step []compute.Launch // what comes before the targets are needed, and the rest of a step
}

var _ learn.Trainer = (*Trainer)(nil)

// Precision is what the products of the trunk are computed in.
type Precision string

const (
	// FP32 is fp32 everywhere.
	FP32 Precision = "fp32"
	// BF16 is mixed precision: the weights and the boards of the trunk are in bf16, and sums, heads, parameters
	// and moments in fp32. It is for tensor cores.
	BF16 Precision = "bf16"
)

// New puts a network on a device. The parameters of n change when State or Snapshot is called.
// The error says why the device cannot be used.
func New(d compute.Device, n *net.Network, c learn.Config, p Precision) (*Trainer, error) {
	return NewLike(d, n, c, p, c.Batch)
}

// NewLike is New, with the kernels of a trainer for minibatches of another size.
func NewLike(d compute.Device, n *net.Network, c learn.Config, p Precision, minibatch int) (*Trainer, error) {
	weights, err := c.Weights(n.Config.Heads())
	if err != nil {
		return nil, err
	}
	s, err := learn.NewState(n, c)
	if err != nil {
		return nil, err
	}
	t := &Trainer{LossWeights: weights, device: d.Info(), config: c, state: s}
	program := kernels.Training()
	var k *hopper.Chain
	if p == BF16 {
		program = kernels.Mixed()
		if t.device.Compute == 90 {
			program.More = append(program.More, hopper.OuterPTX)
		}
		if k = chainOf(t.device, n.Program, minibatch); k != nil {
			program.More = append(program.More, k.PTX)
		}
	}
	if t.memory = open(d, program); t.memory.err == nil {
		err = t.build(n, p, k, minibatch)
	}
	if err = cmp.Or(t.memory.err, err); err != nil {
		t.memory.release()
		return nil, t.explain(err)
	}
	if err := t.upload(); err != nil {
		t.memory.release()
		return nil, err
	}
	return t, nil
}

// build makes both passes, with the kernels for a minibatch. Chains of convolutions are computed by k, if it is not nil.
func (t *Trainer) build(n *net.Network, p Precision, k *hopper.Chain, minibatch int) (err error) {
	m, boards := t.memory, t.config.Batch
	if t.network, err = newNetwork(m, n, boards); err != nil {
		return err
	}
	each := net.InputSize
	if p == BF16 {
		each = bitsSize
	}
	x, batch := m.staged(boards*each), t.network.batch
	t.slots = [2]slot{{x: x, batch: batch}, {x: m.again(x), batch: m.again(batch)}}
	if m.err != nil {
		return m.err
	}
	if p == BF16 {
		for i, s := range t.slots {
			t.slots[i].bits = unsafe.Slice((*net.Bits)(unsafe.Pointer(&s.x.data[0])), boards)
		}
		if err := t.network.mix(n.Program, t.network.layers, k, minibatch); err != nil {
			return err
		}
		t.network.build(t.network.planes(x.buffer))
	} else {
		t.network.build(&value{rows: 64 * boards, columns: net.NumPlanes, data: x.buffer, fixed: true})
	}
	t.update = newUpdate(t.network, t.state, t.config)
	t.forward = m.record(t.network.before)
	t.step = m.record(slices.Concat(t.network.after, t.update.stages()))
	return m.err
}

// explain adds to an error which device it comes from, and what is wrong with the device.
func (t *Trainer) explain(err error) error {
	name := fmt.Sprintf("%s:%d (%s)", t.device.Driver, t.device.Number, t.device.Name)
	switch {
	case errors.Is(err, compute.ErrMemory):
		return fmt.Errorf("%s has not enough memory to learn from minibatches of %d positions; a smaller learner.batch needs less: %w", name, t.config.Batch, err)
	case errors.Is(err, compute.ErrLost):
		return fmt.Errorf("%s does not work any more: %w", name, err)
	}
	return fmt.Errorf("learning on %s: %w", name, err)
}

// wait waits for the device.
func (t *Trainer) wait() error {
	t.memory.wait()
	return t.failed()
}

// failed returns what has failed on the device. After an error the trainer is lost.
func (t *Trainer) failed() error {
	if err := t.memory.err; err != nil && t.lost == nil {
		t.lost = fmt.Errorf("%w: %w", learn.ErrLost, t.explain(err))
	}
	return t.lost
}

// Path names the device's driver, the precision, and the instruction that multiplies in mixed precision.
func (t *Trainer) Path() string {
	switch {
	case t.network.mixed == nil:
		return t.device.Driver + "-fp32"
	case t.device.Compute == 90:
		return t.device.Driver + "-bf16-wgmma90"
	}
	return fmt.Sprintf("%s-bf16-mma%d", t.device.Driver, t.device.Compute)
}

// BatchSize returns the number of positions in a batch.
func (t *Trainer) BatchSize() int { return t.config.Batch }

// Step updates the weights once.
func (t *Trainer) Step(b *learn.Batch, rate float64) (learn.Losses, error) {
	return t.StepAhead(b, rate, nil)
}

// StepAhead is Step with a batch ahead, as learn.StepAhead describes it. The forward pass of that batch is queued behind
// the step; next may be nil.
func (t *Trainer) StepAhead(b *learn.Batch, rate float64, next func() *learn.Batch) (learn.Losses, error) {
	if b != t.ahead || t.lost != nil {
		if err := t.send(b); err != nil {
			return nil, err
		}
	}
	t.ahead = nil
	t.update.prepare(t.state.Optimizer.Next(rate), t.state.Average.Next())
	t.memory.launch(t.step...)
	done := t.results()
	if next != nil {
		if b := next(); b != nil && t.send(b) == nil { // else a step that has this batch returns the error
			t.ahead = b
		}
	}
	losses, norm, err := t.collect(b, done)
	if err != nil {
		return nil, err
	}
	if err := t.state.Optimizer.Count(norm); err != nil {
		return losses, err
	}
	t.state.Average.Count()
	return losses, nil
}

// results asks for the losses of a batch, and for the norm of the gradient if it was computed.
func (t *Trainer) results() compute.Mark {
	t.memory.read(t.network.results)
	return t.memory.flush()
}

// collect waits for the results.
func (t *Trainer) collect(b *learn.Batch, done compute.Mark) (learn.Losses, float64, error) {
	t.memory.waitFor(done)
	if err := t.failed(); err != nil {
		return nil, 0, err
	}
	return t.losses(b), float64(t.network.results.data[t.network.norm]), nil
}

// Measure returns the losses of a batch.
func (t *Trainer) Measure(b *learn.Batch) (learn.Losses, error) {
	if err := t.send(b); err != nil {
		return nil, err
	}
	t.memory.launch(t.network.compared...)
	losses, _, err := t.collect(b, t.results())
	return losses, err
}

// losses returns the means of the losses that came from the device.
func (t *Trainer) losses(b *learn.Batch) learn.Losses {
	all := make(learn.Losses, len(t.network.heads))
	for k, h := range t.network.heads {
		all[k].Head = h.Name
		all[k].Weight = sum(b.Targets[k].Weight)
		for i, w := range b.Targets[k].Weight {
			if w > 0 {
				all[k].Mean += float64(w) / all[k].Weight * float64(t.network.results.data[h.losses+i])
			}
		}
	}
	return all
}

func sum(v []float32) (total float64) {
	for _, x := range v {
		total += float64(x)
	}
	return total
}

// Snapshot returns a copy of the network, with averaged weights if the settings ask for them.
func (t *Trainer) Snapshot() (*net.Network, error) {
	if err := t.download(); err != nil {
		return nil, err
	}
	return t.state.Snapshot(), nil
}

// State returns the weights, the optimiser's tensors and the averaged weights.
func (t *Trainer) State() ([]net.Tensor, error) {
	if err := t.download(); err != nil {
		return nil, err
	}
	return t.state.Tensors(), nil
}

// Restore copies a State into the trainer.
func (t *Trainer) Restore(state []net.Tensor) error {
	if t.lost != nil {
		return t.lost
	}
	if err := t.state.Restore(state); err != nil {
		return err
	}
	t.ahead = nil // its forward pass is that of other weights
	return t.upload()
}

// Close releases the device but not the network.
func (t *Trainer) Close() error {
	err := t.memory.release()
	if t.lost != nil {
		return nil // it has been reported
	}
	return err
}
