package gpu

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"warren/internal/compute/kernels"
	"warren/internal/compute/ptx"
	"warren/internal/eval"
	"warren/internal/nettest"
	"warren/net"
)

// TestInterpreted evaluates networks with the kernels' PTX, which an interpreter runs that reports
// races and reads of what was never written. Nothing of OpenCL is needed.
func TestInterpreted(t *testing.T) {
	for i, c := range nettest.Configs {
		if testing.Short() && c.Channels > 16 {
			continue
		}
		for _, form := range []kernels.Form{{}, {Half: true, Tensor: true}} {
			t.Run(fmt.Sprintf("%v/%s", c, form.Precision()), func(t *testing.T) {
				n := lively(t, c, uint64(i))
				positions := random(3)
				want := reference(t, n, positions)
				got := outputs(t, open(t, NewDevice(&ptx.Device{Seed: uint64(i)}), n, form, 3), positions)
				most := 0.0
				for k := range got {
					most = max(most, math.Abs(float64(got[k])-want[k]))
				}
				tolerance := 1e-4
				if form.Half {
					tolerance = 5e-3
				}
				t.Logf("largest difference of logits %.2g", most)
				if !(most <= tolerance) {
					t.Errorf("logits differ by %.2g", most)
				}
			})
		}
	}
}

// TestSameBitsInEveryStream evaluates positions together, and at the same time in several streams and batches,
// with another order of everything in the kernels that has none.
func TestSameBitsInEveryStream(t *testing.T) {
	c := net.Config{Blocks: 1, Channels: 64, PoolEvery: 1, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 16, Auxiliary: "stopped"}
	for i, on := range []struct {
		form    kernels.Form
		compute int
	}{{tensor16, 90}, {tensor16, 86}, {kernels.Form{}, 90}} {
		if testing.Short() && i > 0 {
			continue
		}
		form := on.form
		n, all := lively(t, c, 1), random(10)
		first, err := New(NewDevice(&ptx.Device{Seed: 1, Compute: on.compute}), n, form)
		if err != nil {
			t.Fatal(err)
		}
		together, err := first.Open(10)
		if err != nil {
			t.Fatal(err)
		}
		defer together.Close()
		if err := eval.Evaluate(together, all); err != nil {
			t.Fatal(err)
		}
		b, err := New(NewDevice(&ptx.Device{Seed: 2, Compute: on.compute}), n, form)
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for k, batch := range []int{1, 9} {
			s, err := b.Open(batch)
			if err != nil {
				t.Fatal(err)
			}
			group.Go(func() {
				defer s.Close()
				mine := new(eval.Batch)
				for i := k; i < k+batch; i++ {
					mine.Add(all.Position(i), all.Legal(i))
				}
				if err := eval.Evaluate(s, mine); err != nil {
					t.Error(err)
					return
				}
				for i := range batch {
					if mine.Value(i) != all.Value(k+i) || mine.Stopped(i) != all.Stopped(k+i) || !slices.Equal(mine.Priors(i), all.Priors(k+i)) {
						t.Errorf("%+v: position %d has other bits in a batch of %d", on, k+i, batch)
					}
				}
			})
		}
		group.Wait()
	}
}
