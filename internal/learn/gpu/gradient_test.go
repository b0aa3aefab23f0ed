package gpu

import (
	"math"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/opencl"
	"warren/internal/learn"
	"warren/internal/learn/graph"
	"warren/internal/learn/learntest"
	"warren/internal/nettest"
	"warren/net"
)

// device returns the first device of OpenCL, Debian's pocl in continuous integration. Without
// one the test is skipped.
func device(t testing.TB) compute.Device {
	t.Helper()
	all, err := opencl.Devices()
	if err != nil {
		t.Skipf("not tested here: %v (Debian: apt-get install pocl-opencl-icd)", err)
	}
	return all[0]
}

// config is the settings of a trainer with minibatches of a size.
func config(batch int) learn.Config {
	c := learn.DefaultConfig()
	c.Batch = batch
	return c
}

func newTrainer(t testing.TB, d compute.Device, n *net.Network, c learn.Config) *Trainer {
	t.Helper()
	return trainerOf(t, d, n, c, FP32)
}

func trainerOf(t testing.TB, d compute.Device, n *net.Network, c learn.Config, p Precision) *Trainer {
	t.Helper()
	tr, err := New(d, n, c, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	})
	return tr
}

// gradientOf returns the gradient by every parameter, one after the other.
func gradientOf(t testing.TB, tr *Trainer, b *learn.Batch) (learn.Losses, []float32) {
	t.Helper()
	if err := tr.send(b); err != nil {
		t.Fatal(err)
	}
	tr.update.prepare(learn.Factors{}, 0)
	tr.memory.launch(tr.memory.record(append(slices.Clip(tr.network.after), compute.Stage{tr.update.clip}))...)
	losses, norm, err := tr.collect(b, tr.results())
	if err != nil {
		t.Fatal(err)
	}
	tr.memory.read(&staging{tr.update.transport.Staging, tr.network.gradient, tr.update.transport.data})
	if err := tr.wait(); err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(tr.update.transport.data)
	sum := 0.0
	for _, v := range all {
		sum += float64(v) * float64(v)
	}
	if want := math.Sqrt(sum); !(math.Abs(norm-want) <= 1e-5*want) {
		t.Errorf("the norm of the gradient is %g, want %g", norm, want)
	}
	return losses, all
}

// everyHead names all auxiliary heads.
var everyHead = strings.Join(net.AuxiliaryHeads(), " ")

// TestGradients compares losses and gradients by every parameter with those of internal/learn/graph, within
// the tolerances to which those are held against finite differences.
func TestGradients(t *testing.T) { testGradients(t, device(t), []int{1, 5, 70}) }

func testGradients(t *testing.T, d compute.Device, sizes []int) {
	for i, c := range []net.Config{
		nettest.Everything,
		{Blocks: 2, Channels: 40, PoolEvery: 1, PolicyChannels: 16, ValueChannels: 8, ValueHidden: 36, Auxiliary: everyHead},
		{Blocks: 1, Channels: 16, PoolEvery: 0, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 1},
	} {
		for _, size := range sizes {
			if size == 70 && (c.Channels > 16 || testing.Short()) {
				continue // slow on a processor
			}
			n := nettest.Lively(t, c, uint64(i))
			b := learntest.Lesson(c, uint64(7+i), size)
			reference, err := graph.NewGraphWorkers(n, size, 1)
			if err != nil {
				t.Fatal(err)
			}
			tr := newTrainer(t, d, n, config(size))
			for k := range tr.LossWeights {
				tr.LossWeights[k], reference.LossWeights[k] = 1, 1 // so that an error would show
			}
			want, err := reference.Gradients(b)
			if err != nil {
				t.Fatal(err)
			}
			got, all := gradientOf(t, tr, b)
			for k, l := range want {
				if got[k].Head != l.Head || !(math.Abs(got[k].Mean-l.Mean) <= 1e-5*(1+l.Mean)) || !(math.Abs(got[k].Weight-l.Weight) <= 1e-5*l.Weight) {
					t.Errorf("%v, %d positions: the losses are %+v, want %+v", c, size, got[k], l)
				}
			}
			worst, name := 0.0, ""
			for j, p := range n.Params {
				mine := all[:len(p.Data)]
				all = all[len(p.Data):]
				most, off := 0.0, 0.0
				for k, v := range reference.Gradient(j) {
					most = max(most, math.Abs(float64(v)))
					off = max(off, math.Abs(float64(mine[k]-v)))
				}
				if !(off <= 2e-3*most+1e-7) {
					t.Errorf("%v, %d positions: the gradient by %s differs by %g (largest %g)", c, size, p.Name, off, most)
				}
				if off/(most+1e-7) > worst {
					worst, name = off/(most+1e-7), p.Name
				}
			}
			t.Logf("%v, %d positions: largest difference %.2g of the largest gradient by %s", c, size, worst, name)
			measured, err := tr.Measure(b)
			if err != nil || !slices.Equal(measured, got) {
				t.Errorf("%v: measured %+v, %v, learning %+v", c, measured, err, got)
			}
			if err := reference.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestWeightless gives positions no weight: they change nothing, and without any weight there is
// no gradient.
func TestWeightless(t *testing.T) {
	c := net.Config{Blocks: 1, Channels: 8, PolicyChannels: 4, ValueChannels: 2, ValueHidden: 4, Auxiliary: everyHead}
	n := nettest.Lively(t, c, 1)
	tr := newTrainer(t, device(t), n, config(4))
	b := learntest.Lesson(c, 2, 4)
	for k := range b.Targets {
		b.Targets[k].Weight[1] = 0
	}
	losses, before := gradientOf(t, tr, b)
	clear(b.Legal[263:526])
	for k, h := range c.Heads() {
		values := b.Targets[k].Values[h.Size:][:h.Size]
		for i := range values {
			values[i] = float32(math.NaN())
		}
	}
	again, after := gradientOf(t, tr, b)
	if !slices.Equal(losses, again) || !slices.Equal(before, after) {
		t.Errorf("a position without weight changes the losses %+v to %+v, or the gradient", losses, again)
	}
	for k := range b.Targets {
		clear(b.Targets[k].Weight)
	}
	losses, none := gradientOf(t, tr, b)
	for _, l := range losses {
		if l.Mean != 0 || l.Weight != 0 {
			t.Errorf("without weights the losses are %+v", losses)
		}
	}
	if i := slices.IndexFunc(none, func(v float32) bool { return v != 0 }); i >= 0 {
		t.Errorf("without weights gradient %d is %g", i, none[i])
	}
}
