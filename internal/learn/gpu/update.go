package gpu

import (
	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/learn"
	"warren/net"
)

// update is the optimiser and the averaged weights on the device.
type update struct {
	*memory
	count     int // parameters
	weights   compute.Buffer
	moments   []compute.Buffer
	average   compute.Buffer   // nil without averaging
	clip      []compute.Launch // computes the norm of the gradient, and from it a factor
	factors   *staging
	launches  []compute.Launch // of the optimiser
	beside    []compute.Launch // for parameters that those leave alone
	last      []compute.Launch // after both
	transport *staging         // of parameters, moments and averages
}

func newUpdate(n *network, s *learn.State, c learn.Config) *update {
	u := &update{memory: n.memory, count: s.Network.NumParams(), weights: n.weights}
	squares := u.buffer(sums(u.count)) // whose sum is the square of the norm
	u.factors = u.staged(kernels.NumFactors)
	decays := u.staged(u.count)
	u.transport = decays // the same memory of the host, once decays is written
	if u.err != nil {
		return u
	}
	u.clip = []compute.Launch{
		u.run([2]int{sums(u.count), 1}, kernels.SumSquares{X: n.gradient, Y: squares, N: u.count}),
		u.run([2]int{1, 1}, kernels.Clip{Squares: squares, Factors: u.factors.buffer, Results: n.results.buffer, At: n.norm, N: sums(u.count)}),
	}
	u.optimizer(c.Optimizer.Method, s.Network.Params, n.gradient, decays.buffer)
	if c.EMADecay > 0 {
		u.average = u.buffer(u.count)
		mean := kernels.Average{W: u.weights, Factors: u.factors.buffer, Mean: u.average, N: u.count}
		u.last = []compute.Launch{u.run([2]int{groups(u.count), 1}, mean)}
	}

	at := decays.data
	for _, p := range s.Network.Params {
		for i := range p.Data {
			at[i] = 0
			if _, _, ok := learn.Flattened(p); ok && c.Optimizer.Method == learn.Muon {
				at[i] = -1 // which Adam leaves alone
			} else if learn.Decays(p) {
				at[i] = 1
			}
		}
		at = at[len(p.Data):]
	}
	u.write(decays)
	u.wait()
	return u
}

// add adds the run of a kernel.
func (u *update) add(groups [2]int, call kernels.Call) {
	u.launches = append(u.launches, u.run(groups, call))
}

// optimizer adds the update of the parameters, and allocates the moments in the order of the
// optimiser's tensors.
func (u *update) optimizer(method string, params []net.Param, gradient, decays compute.Buffer) {
	moment := func() compute.Buffer {
		u.moments = append(u.moments, u.buffer(u.count))
		return u.moments[len(u.moments)-1]
	}
	mean := moment() // or momentum
	if method == learn.SGD {
		u.add([2]int{groups(u.count), 1}, kernels.SGD{
			W: u.weights, G: gradient, Decays: decays, Factors: u.factors.buffer, Momentum: mean, N: u.count,
		})
		return
	}
	variance := moment()
	adam := []compute.Launch{u.run([2]int{groups(u.count), 1}, kernels.Adam{
		W: u.weights, G: gradient, Decays: decays, Factors: u.factors.buffer, Mean: mean, Variance: variance, N: u.count,
	})}
	if method == learn.Muon {
		u.muon(params, gradient, mean)
		u.beside = adam
		return
	}
	u.launches = adam
}

// stages returns the launches of a step after those of the network.
func (u *update) stages() []compute.Stage {
	return []compute.Stage{{u.clip}, {u.launches, u.beside}, {u.last}}
}

// prepare sends the factors of an update, and the part that the averaged weights keep of themselves.
func (u *update) prepare(f learn.Factors, keep float32) {
	copy(u.factors.data, kernels.Factors{
		Clip: f.Clip, Keep1: f.Keep1, Add1: f.Add1, Keep2: f.Keep2, Add2: f.Add2, Rate: f.Rate, Epsilon: f.Epsilon,
		Shrink: f.Shrink, Decay: f.Decay, Momentum: f.Momentum, Matrix: f.Matrix, Average: keep,
	}.Numbers())
	u.write(u.factors)
}

// copied is memory of the device and the tensors that it belongs to, one after the other.
type copied struct {
	buffer  compute.Buffer
	tensors []net.Tensor
}

// copies lists what a state has on the device.
func (u *update) copies(s *learn.State) []copied {
	params, optimizer := s.Network.Params, s.Optimizer.State()
	all := []copied{{u.weights, params}}
	for k, b := range u.moments {
		all = append(all, copied{b, optimizer[k*len(params):][:len(params)]})
	}
	if u.average != nil {
		all = append(all, copied{u.average, s.Average.State()[:len(params)]})
	}
	return all
}

// download copies everything from the device to the state.
func (t *Trainer) download() error {
	for _, c := range t.update.copies(t.state) {
		from := &staging{t.update.transport.Staging, c.buffer, t.update.transport.data}
		t.memory.read(from)
		if err := t.wait(); err != nil {
			return err
		}
		at := from.data
		for _, p := range c.tensors {
			at = at[copy(p.Data, at):]
		}
	}
	return t.lost
}

// upload copies everything from the state to the device.
func (t *Trainer) upload() error {
	for _, c := range t.update.copies(t.state) {
		to := &staging{t.update.transport.Staging, c.buffer, t.update.transport.data}
		at := to.data
		for _, p := range c.tensors {
			at = at[copy(at, p.Data):]
		}
		t.memory.write(to)
		if err := t.wait(); err != nil {
			return err
		}
	}
	return nil
}
