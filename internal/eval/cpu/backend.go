package cpu

import (
	"fmt"
	"math"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/kernel"
	"warren/internal/kernel/bf16"
	"warren/internal/kernel/quant"
	"warren/net"
)

// Backend evaluates a network on the processor.
type Backend struct{ weights *weights }

var _ eval.Backend = (*Backend)(nil)

// New returns the back end of a network. It uses the fastest kernels of this
// processor, or those that the environment variable WARREN_KERNEL names. The
// path is one of package kernel, in fp32, unless the variable is "amx" or
// "int16". Later changes to n.Params have no effect. New fails if the variable
// names kernels that are not available.
func New(n *net.Network) (*Backend, error) {
	open := newFloats
	switch kernel.Forced() {
	case kernel.AMX:
		open = NewAMX
	case kernel.Int16:
		open = NewInt16
	default:
		return open(n)
	}
	b, err := open(n)
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w", kernel.Variable, kernel.Forced(), err)
	}
	return b, nil
}

// newFloats returns the back end in fp32.
func newFloats(n *net.Network) (*Backend, error) {
	path, err := kernel.Chosen()
	if err != nil {
		return nil, err
	}
	return newPath(n, path)
}

func newPath(n *net.Network, path *kernel.Path) (*Backend, error) {
	return newBackend(n, path, func(first *net.FirstLayers) arithmetic { return newWinograd(path, first) })
}

// NewAMX returns the back end of a network on the processor's tile unit (AMX),
// in bf16. Later changes to n.Params have no effect. NewAMX fails if there is
// no such unit.
func NewAMX(n *net.Network) (*Backend, error) {
	unit, err := bf16.AMX()
	if err != nil {
		return nil, err
	}
	// The kernels beside the tiles are always the same, so that the path always gives the same
	// bits.
	path, err := kernel.Named("avx512")
	if err != nil {
		return nil, err
	}
	return newTileBackend(n, unit, path)
}

// NewPath returns the back end of a network on the path with the given name
// (eval.Attributes.Path). Later changes to n.Params have no effect. NewPath
// fails if the processor or this build does not have the path.
func NewPath(n *net.Network, name string) (*Backend, error) {
	switch name {
	case kernel.AMX:
		return NewAMX(n)
	case kernel.Int16:
		return NewInt16(n)
	}
	path, err := kernel.Named(name)
	if err != nil {
		return nil, err
	}
	return newPath(n, path)
}

func newTileBackend(n *net.Network, unit *bf16.Unit, path *kernel.Path) (*Backend, error) {
	return newBackend(n, path, func(first *net.FirstLayers) arithmetic { return newTiles(unit, path, first) })
}

// NewInt16 returns the back end of a network in whole numbers of 16 bits, which has
// the same bits on every processor. It uses the kernels that New uses. Later changes
// to n.Params have no effect. NewInt16 fails if the network's numbers are too large
// or not finite, or if WARREN_KERNEL names kernels that are not available.
func NewInt16(n *net.Network) (*Backend, error) {
	path, err := kernel.Chosen()
	if err != nil {
		return nil, err
	}
	return NewInt16On(n, path)
}

// NewInt16OnTiles is like NewInt16, but multiplies on the processor's tile unit (AMX).
// It fails if there is no such unit.
func NewInt16OnTiles(n *net.Network) (*Backend, error) {
	unit, err := quant.OnTiles()
	if err != nil {
		return nil, err
	}
	path, err := kernel.Chosen()
	if err != nil {
		return nil, err
	}
	return newIntBackend(n, unit, path)
}

// NewInt16On is like NewInt16, but with the kernels of a path.
func NewInt16On(n *net.Network, path *kernel.Path) (*Backend, error) {
	return newIntBackend(n, quant.On(path), path)
}

func newIntBackend(n *net.Network, unit *quant.Unit, path *kernel.Path) (*Backend, error) {
	path = path.Unfused()
	var a *integers
	b, err := newBackend(n, path, func(first *net.FirstLayers) arithmetic {
		a = newIntegers(unit, path, n, first)
		return a
	})
	if err == nil {
		err = a.err
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// newBackend packs a network for the arithmetic that choose returns.
func newBackend(n *net.Network, path *kernel.Path, choose func(*net.FirstLayers) arithmetic) (*Backend, error) {
	w, err := newWeights(n, path, choose)
	if err != nil {
		return nil, fmt.Errorf("preparing a network %v for the processor: %w", n.Config, err)
	}
	return &Backend{w}, nil
}

func newWeights(n *net.Network, path *kernel.Path, choose func(*net.FirstLayers) arithmetic) (*weights, error) {
	first, err := n.FirstLayers()
	if err != nil {
		return nil, err
	}
	w := &weights{}
	if w.trunk, err = newTrunk(n, choose(first)); err != nil {
		return nil, err
	}
	w.heads, err = newHeadWeights(n, path, first, w.trunk.arithmetic.stride())
	return w, err
}

// bestBatch is the batch size at which the rates that warren speed measures stop rising, on every
// path.
const bestBatch = 8

// Attributes describes the processor's path.
func (b *Backend) Attributes() eval.Attributes {
	path, numbers := b.weights.trunk.arithmetic.precision()
	on := eval.Attributes{
		Device: "cpu", Path: path, Precision: numbers,
		Best: bestBatch, Depth: 1,
		Stopped: b.weights.heads.gives("stopped"),
	}
	if a, ok := b.weights.trunk.arithmetic.(*integers); ok {
		on.Saturation = &a.saturation
	}
	return on
}

// Open returns a stream with a plan of its own. The stream accepts batches of
// any size and evaluates them in parts of at most batch positions.
func (b *Backend) Open(batch int) (eval.Stream, error) {
	p := b.NewPlan(batch)
	s := &stream{
		plan:   p,
		x:      make([]net.Bits, p.maxBatch),
		policy: make([]float32, p.maxBatch*game.NumActions),
		values: make([]float32, p.maxBatch),
	}
	s.outputs = append(s.outputs, s.policy, s.values)
	if b.weights.heads.gives("stopped") {
		s.stopped = make([]float32, p.maxBatch)
		s.outputs = append(s.outputs, s.stopped)
	}
	s.Evaluate = s.evaluate
	return s, nil
}

// stream encodes positions, runs a plan, and turns the logits of the legal
// actions into probabilities.
type stream struct {
	eval.Immediate
	plan    *Plan
	x       []net.Bits  // [maxBatch]
	policy  []float32   // [maxBatch][263]
	values  []float32   // [maxBatch]
	stopped []float32   // [maxBatch], or nil for a network without that head
	outputs [][]float32 // these three
}

func (s *stream) evaluate(b *eval.Batch) error {
	for first := 0; first < b.Len(); first += s.plan.maxBatch {
		n := min(s.plan.maxBatch, b.Len()-first)
		for i := range n {
			net.EncodeBits(b.Position(first+i), &s.x[i])
		}
		s.plan.Forward(s.x, n, s.outputs...)
		for i := range n {
			at := first + i
			logits := s.policy[i*game.NumActions:][:game.NumActions]
			priors, side := b.Priors(at), b.Position(at).Side()
			for j, a := range b.Legal(at) {
				priors[j] = logits[net.PolicyIndex(a, side)]
			}
			stopped := float32(0)
			if s.stopped != nil {
				stopped = s.stopped[i]
			}
			if !eval.Softmax(priors) || math.IsNaN(float64(s.values[i]+stopped)) {
				return fmt.Errorf("evaluating position %d of %d: the network's answer is not a number; its weights are damaged or its training diverged", at, b.Len())
			}
			b.SetValue(at, s.values[i])
			b.SetStopped(at, stopped)
		}
	}
	return nil
}
