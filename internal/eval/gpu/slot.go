package gpu

import (
	"fmt"
	"math"
	"sync"
	"unsafe"

	"warren/game"
	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/eval"
	"warren/internal/portable"
	"warren/net"
)

// What goes to the device and comes back for each position.
const (
	inputBytes  = int(unsafe.Sizeof(net.Bits{}))
	wantedBytes = (game.NumActions + mostChances) * 4 // the number of each logit that is wanted
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

	input, wanted, gathered compute.Staging
	bits                    []net.Bits
	places                  []uint32
	logits                  []float32

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
	if s.wanted, err = c.Staging(rounded * wantedBytes); err != nil {
		return s, err
	}
	if s.gathered, err = c.Staging(rounded * wantedBytes); err != nil {
		return s, err
	}
	s.bits, s.places, s.logits = of[net.Bits](s.input), of[uint32](s.wanted), of[float32](s.gathered)
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
	for _, b := range []compute.Staging{s.input, s.wanted, s.gathered} {
		if b != nil {
			b.Release()
		}
	}
}

// submit sends a batch to the device.
func (s *slot) submit(b *eval.Batch) error {
	spread(b.Len(), func(from, to int) { s.encode(b, from, to) })
	wanted := s.start(b, b.Len())
	n := wanted
	for ; n%64 != 0; n++ { // for the whole work groups of gather
		s.places[n] = 0
	}
	q, p := s.queue, s.plan
	if err := q.Write(p.input.in(s.memory), s.input, b.Len()*inputBytes); err != nil {
		return err
	}
	if err := q.Write(p.wanted.in(s.memory), s.wanted, n*4); err != nil {
		return err
	}
	s.launches = p.launches(s.launches[:0], s.kernels, b.Len(), wanted)
	if err := q.Launch(s.launches...); err != nil {
		return err
	}
	if err := q.Read(s.gathered, p.gathered.in(s.memory), wanted*4); err != nil {
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

// start returns where the numbers of position i begin, among those of the batch.
func (s *slot) start(b *eval.Batch, i int) int { return b.Start(i) + i*len(s.plan.logistic) }

// encode writes some positions of the batch, and which numbers are wanted of them.
func (s *slot) encode(b *eval.Batch, from, to int) {
	n := s.start(b, from)
	for i := from; i < to; i++ {
		g := b.Position(i)
		net.EncodeBits(g, &s.bits[i])
		outputs := uint32(i * s.plan.size)
		for _, a := range b.Legal(i) {
			s.places[n] = outputs + uint32(net.PolicyIndex(a, g.Side()))
			n++
		}
		for c := range s.plan.logistic {
			s.places[n] = outputs + uint32(game.NumActions+c)
			n++
		}
	}
}

// decode fills in the results of some positions of the batch.
func (s *slot) decode(b *eval.Batch, from, to int) error {
	logits := s.logits[s.start(b, from):]
	for i := from; i < to; i++ {
		priors := b.Priors(i)
		copy(priors, logits)
		var others [mostChances]float32 // the chance to win, and that the game is stopped
		for k, isLogit := range s.plan.logistic {
			if others[k] = logits[len(priors)+k]; isLogit {
				others[k] = logistic(others[k])
			}
		}
		chance, stopped := others[0], others[1]
		if !eval.Softmax(priors) || math.IsNaN(float64(chance+stopped)) {
			return fmt.Errorf("evaluating position %d of %d: the network's answer is not a number; its weights are damaged, its training diverged, or they are too large for %s",
				i, b.Len(), s.plan.form.Precision())
		}
		b.SetValue(i, chance)
		b.SetStopped(i, stopped)
		logits = logits[len(priors)+len(s.plan.logistic):]
	}
	return nil
}

func logistic(logit float32) float32 { return float32(1 / (1 + portable.Exp(-float64(logit)))) }
