package gpu

import (
	"fmt"
	"sync"
	"unsafe"

	"warren/game"
	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/eval"
	"warren/net"
)

// What goes to the device and comes back for each position.
const (
	inputBytes  = int(unsafe.Sizeof(net.Bits{}))
	wantedBytes = (game.NumActions + mostChances) * 4 // a word for each legal action and chance
)

// mostChances is the number of chances that play can need: to win, and that the game is stopped.
const mostChances = 2

// slot is the memory of one batch in flight, and the queue on which it is computed.
type slot struct {
	plan     *plan
	queue    compute.Queue
	memory   memory
	kernels  []compute.Kernel
	launches []compute.Launch

	input, wanted, answers compute.Staging
	bits                   []net.Bits
	actions                []uint32  // where those of a position begin, and how many there are; then all actions
	chances                []float32 // two chances of each position, and those of all actions

	mark compute.Mark // of the batch in flight
}

// newSlot allocates the memory of a batch. The weights are on the device already.
func newSlot(c compute.Context, p *plan, weights []compute.Buffer, batch int) (s *slot, err error) {
	rounded := (batch + most - 1) / most * most
	s = &slot{plan: p, memory: memory{weights: weights, boards: rounded}}
	defer func() {
		if err != nil {
			s.release()
		}
	}()
	for _, bytes := range p.activations {
		b, err := c.Buffer(rounded * bytes)
		if err != nil {
			return s, err
		}
		s.memory.activations = append(s.memory.activations, b)
	}
	for _, st := range p.steps {
		k, err := kernels.New(c, st.call(s.memory))
		if err != nil {
			return s, err
		}
		s.kernels = append(s.kernels, k)
	}
	if s.queue, err = c.Queue(); err != nil {
		return s, err
	}
	if s.input, err = c.Staging(batch * inputBytes); err != nil {
		return s, err
	}
	if s.wanted, err = c.Staging(batch * wantedBytes); err != nil {
		return s, err
	}
	if s.answers, err = c.Staging(batch * wantedBytes); err != nil {
		return s, err
	}
	s.bits, s.actions, s.chances = of[net.Bits](s.input), of[uint32](s.wanted), of[float32](s.answers)
	return s, nil
}

// of returns staging memory as a slice of T.
func of[T any](s compute.Staging) []T {
	b := s.Bytes()
	var v T
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(v)))
}

func (s *slot) release() {
	if s.queue != nil {
		s.queue.Release() // first, so that nothing uses the memory any more
	}
	for _, k := range s.kernels {
		k.Release()
	}
	for _, b := range s.memory.activations {
		b.Release()
	}
	for _, b := range []compute.Staging{s.input, s.wanted, s.answers} {
		if b != nil {
			b.Release()
		}
	}
}

// submit sends a batch to the device.
func (s *slot) submit(b *eval.Batch) error {
	spread(b.Len(), func(from, to int) { s.encode(b, from, to) })
	bytes := start(b, b.Len()) * 4
	q, p := s.queue, s.plan
	if err := q.Write(p.input.in(s.memory), s.input, b.Len()*inputBytes); err != nil {
		return err
	}
	if err := q.Write(p.wanted.in(s.memory), s.wanted, bytes); err != nil {
		return err
	}
	s.launches = p.launches(s.launches[:0], s.kernels, b.Len())
	if err := q.Launch(s.launches...); err != nil {
		return err
	}
	if err := q.Read(s.answers, p.answers.in(s.memory), bytes); err != nil {
		return err
	}
	var err error
	s.mark, err = q.Flush()
	return err
}

// results fills in the results of the batch, which the device has done. It fails if the network does.
func (s *slot) results(b *eval.Batch) (err error) {
	var first sync.Once
	spread(b.Len(), func(from, to int) {
		if failure := s.decode(b, from, to); failure != nil {
			first.Do(func() { err = failure })
		}
	})
	return err
}

// start returns where the actions of position i begin, behind the two words of each position.
func start(b *eval.Batch, i int) int { return mostChances*b.Len() + b.Start(i) }

// encode writes some positions of the batch, and their legal actions.
func (s *slot) encode(b *eval.Batch, from, to int) {
	for i := from; i < to; i++ {
		g, legal := b.Position(i), b.Legal(i)
		net.EncodeBits(g, &s.bits[i])
		n := start(b, i)
		s.actions[2*i], s.actions[2*i+1] = uint32(n), uint32(len(legal))
		for j, a := range legal {
			s.actions[n+j] = uint32(net.PolicyIndex(a, g.Side()))
		}
	}
}

// decode fills in the results of some positions of the batch.
func (s *slot) decode(b *eval.Batch, from, to int) error {
	for i := from; i < to; i++ {
		priors := b.Priors(i)
		copy(priors, s.chances[start(b, i):])
		win, stopped := s.chances[2*i], s.chances[2*i+1] // the second is 0 if the network does not have it
		if nan(win+stopped) || len(priors) > 0 && nan(priors[0]) {
			return fmt.Errorf("evaluating position %d of %d: the network's answer is not a number; its weights are damaged, its training diverged, or they are too large for %s",
				i, b.Len(), s.plan.form.Precision())
		}
		b.SetValue(i, win)
		b.SetStopped(i, stopped)
	}
	return nil
}

func nan(v float32) bool { return v != v }
