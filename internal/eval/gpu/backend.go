package gpu

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/eval"
	"warren/net"
)

// Backend evaluates a network on a device.
type Backend struct {
	device *Device
	plan   *plan
	most   int

	mu      sync.Mutex
	streams int
	context compute.Context  // of the open streams
	weights []compute.Buffer // on the device while there are streams
	lost    error
}

var _ eval.Backend = (*Backend)(nil)

// New puts a network on a device. Later changes to n.Params have no effect. It fails if the device
// cannot be used, or if its results differ from the processor's. If a kernel for all blocks fails
// where another one or the single operations do not, this network and later ones are computed by those.
func New(d *Device, n *net.Network, form kernels.Form) (b *Backend, err error) {
	failed := map[string]error{}
	for _, of := range buildsOf(d.Info(), form, n) {
		kernel := of.kernel()
		if kernel != "" && d.refuses(kernel) {
			continue
		}
		if b, err = newChecked(d, n, of); err == nil || errors.Is(err, eval.ErrLost) {
			break
		}
		failed[kernel] = err // of single operations: the network has a fault, or the device
	}
	if err != nil {
		return nil, err
	}
	for kernel, err := range failed {
		slog.Warn("a kernel fails, and a slower one computes instead", "device", d.Name(), "kernel", kernel, "error", err)
		d.refuse(kernel)
	}
	return b, nil
}

func newChecked(d *Device, n *net.Network, of build) (*Backend, error) {
	b, err := newBackend(d, n, of)
	if err != nil {
		return nil, err
	}
	if err := b.check(n); err != nil {
		return nil, err
	}
	return b, nil
}

func newBackend(d *Device, n *net.Network, of build) (*Backend, error) {
	p, err := newPlan(n, of)
	if err != nil {
		return nil, fmt.Errorf("preparing a network %v for %s: %w", n.Config, d.Name(), err)
	}
	return &Backend{device: d, plan: p, most: mostPositions(d.Info(), p)}, nil
}

// depth is the number of batches in flight. Writing a batch and reading its results takes the host
// longer than computing it takes a large device: with 6x64 an H100 was twice as fast with six batches
// in flight as with two.
func depth(i compute.Info) int {
	if i.Host {
		return 2
	}
	return 6
}

// mostPositions is the size of the largest batch. All such batches in flight take at most an eighth
// of the device's memory, so that there is room for several networks.
func mostPositions(i compute.Info, p *plan) int {
	limit := 4096
	if i.Host {
		limit = 256
	}
	fit := int(i.Memory/8) / (depth(i) * p.perPosition())
	return max(min(limit, fit/most*most), most)
}

// Attributes describes the device.
func (b *Backend) Attributes() eval.Attributes {
	i := b.device.Info()
	// A multiprocessor works on about eight boards at a time.
	best := 8 * i.Units
	if i.Host {
		best = 8
	}
	a := eval.Attributes{
		Device: b.device.Name(), Path: b.path(), Precision: b.plan.precision(),
		Best: min(best, b.most), Most: b.most, Depth: depth(i), Usage: &b.device.usage,
		Stopped: len(b.plan.logistic) > 1,
	}
	if l := b.plan.limits; l != nil {
		a.Saturation = &l.saturation
	}
	return a
}

// path names what the bits of the results depend on. Every sum has a fixed order. Only tensor
// cores, which add several products at once, give different bits on different kinds of devices.
func (b *Backend) path() string {
	i, of := b.device.Info(), b.plan.build
	path := i.Driver + "-" + of.precision()
	switch {
	case of.hasTower():
		path += fmt.Sprintf("-wgmma%d", i.Compute)
	case of.form.Tensor:
		path += fmt.Sprintf("-mma%d", i.Compute)
	}
	return path
}

// Open returns a stream with memory for one batch.
func (b *Backend) Open(batch int) (eval.Stream, error) {
	if batch < 1 || batch > b.most {
		return nil, fmt.Errorf("a stream of batches of %d positions on %s, must be from 1 to %d", batch, b.device.Name(), b.most)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost != nil {
		return nil, b.lost
	}
	if err := b.load(); err != nil {
		return nil, b.refuse(err)
	}
	slot, err := newSlot(b.context, b.plan, b.weights, batch)
	if err != nil {
		b.unload()
		return nil, b.refuse(err)
	}
	b.streams++
	return &stream{backend: b, batch: batch, slot: slot}, nil
}

// refuse explains why the device cannot be used. After a loss the device is opened anew for the next
// network.
func (b *Backend) refuse(err error) error {
	err = b.device.explain(err)
	if errors.Is(err, compute.ErrLost) || errors.Is(err, compute.ErrMemory) {
		err = fmt.Errorf("%w: %w", eval.ErrLost, err)
		b.device.forget()
	}
	return err
}

// load puts the weights on the device. The caller holds the lock.
func (b *Backend) load() error {
	if b.streams > 0 {
		return nil
	}
	c, err := b.device.context(b.plan.build)
	if err != nil {
		return err
	}
	b.context = c
	if err := b.upload(); err != nil {
		b.unload()
		return err
	}
	return nil
}

func (b *Backend) upload() error {
	largest := 0
	for _, t := range b.plan.tensors {
		largest = max(largest, len(t))
	}
	staging, err := b.context.Staging(largest)
	if err != nil {
		return err
	}
	defer staging.Release()
	q, err := b.context.Queue()
	if err != nil {
		return err
	}
	defer q.Release()
	for _, t := range b.plan.tensors {
		buffer, err := b.context.Buffer(len(t))
		if err != nil {
			return err
		}
		b.weights = append(b.weights, buffer)
		copy(staging.Bytes(), t)
		if err := q.Write(buffer, staging, len(t)); err != nil {
			return err
		}
		mark, err := q.Flush()
		if err != nil {
			return err
		}
		if err := mark.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// unload frees the weights if no stream uses them. The caller holds the lock.
func (b *Backend) unload() {
	if b.streams > 0 {
		return
	}
	for _, w := range b.weights {
		w.Release()
	}
	if b.context != nil {
		b.device.release(b.context)
	}
	b.weights, b.context = nil, nil
}

// release is called when a stream is closed.
func (b *Backend) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streams--
	b.unload()
}

// lose notes that the device failed. All streams fail from then on.
func (b *Backend) lose(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost == nil {
		b.lost = fmt.Errorf("%w: %w", eval.ErrLost, b.device.explain(err))
		b.device.forget()
	}
	return b.lost
}

// failure returns why the device was lost, nil if it was not.
func (b *Backend) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost
}
