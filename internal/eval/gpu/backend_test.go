package gpu

import (
	"math"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/compute/kernels"
	"warren/internal/compute/opencl"
	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/internal/eval/evaltest"
	"warren/internal/nettest"
	"warren/net"
)

// device returns the first device of OpenCL, Debian's pocl in continuous integration. Without
// one the test is skipped.
func device(t testing.TB) *Device {
	t.Helper()
	all, err := opencl.Devices()
	if err != nil {
		t.Skipf("not tested here: %v (Debian: apt-get install pocl-opencl-icd)", err)
	}
	return NewDevice(all[0])
}

// forms are the forms that every device has. Tensor cores are emulated where there are none.
var forms = []kernels.Form{{}, {Half: true}, {Half: true, Tensor: true}}

var random = evaltest.Random

func open(t testing.TB, d *Device, n *net.Network, form kernels.Form, batch int) *stream {
	t.Helper()
	b, err := newBackend(d, n, build{form: form})
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.Open(batch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.(*stream)
}

// outputs evaluates positions and returns all logits, legal or not, those of chances last.
func outputs(t testing.TB, s *stream, positions *eval.Batch) []float32 {
	t.Helper()
	if err := eval.Evaluate(s, positions); err != nil {
		t.Fatal(err)
	}
	slot, p := s.slot, s.slot.plan
	staging, err := s.backend.context.Staging(positions.Len() * p.size * 4)
	if err != nil {
		t.Fatal(err)
	}
	defer staging.Release()
	if err := slot.queue.Read(staging, p.outputs.in(slot.memory), len(staging.Bytes())); err != nil {
		t.Fatal(err)
	}
	mark, err := slot.queue.Flush()
	if err != nil {
		t.Fatal(err)
	}
	if err := mark.Wait(); err != nil {
		t.Fatal(err)
	}
	var all []float32
	for i := range positions.Len() {
		numbers := of[float32](staging)[i*p.size:][:p.size]
		for a := range game.NumActions {
			all = append(all, numbers[net.PolicyIndex(game.Action(a), positions.Position(i).Side())])
		}
		all = append(all, numbers[game.NumActions:]...)
	}
	return all
}

// TestLogits compares all logits with those of the processor's plan.
func TestLogits(t *testing.T) {
	d := device(t)
	type sized struct {
		net.Config
		positions int
	}
	cases := []sized{
		{net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16, Auxiliary: "stopped"}, 9},
		{net.Config{Blocks: 3, Channels: 32, PoolEvery: 3, PolicyChannels: 16, ValueChannels: 4, ValueHidden: 32}, 9},
		{net.Config{Blocks: 6, Channels: 64, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64}, 5},
		{net.Config{Blocks: 10, Channels: 128, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 16, ValueHidden: 128}, 2},
		{net.Config{Blocks: 20, Channels: 256, PoolEvery: 3, PolicyChannels: 48, ValueChannels: 32, ValueHidden: 256}, 1},
	}
	cases = append(cases, sized{otherHeads, 3})
	for _, c := range nettest.Configs {
		cases = append(cases, sized{c, 3})
	}
	for i, c := range cases {
		t.Run(c.String(), func(t *testing.T) {
			if testing.Short() && c.Channels >= 128 {
				t.Skip("too slow for a short test")
			}
			n := lively(t, c.Config, uint64(i))
			positions := random(c.positions)
			want := reference(t, n, positions)
			for _, form := range forms {
				if form.Tensor && (c.Channels > 64 || testing.Short() && c.Channels > 32) {
					continue // the emulation takes minutes
				}
				got := outputs(t, open(t, d, n, form, c.positions), positions)
				tolerance := 1e-4
				if form.Half {
					tolerance = 5e-3
				}
				most, peak := 0.0, 0.0
				for k := range got {
					most = max(most, math.Abs(float64(got[k])-want[k]))
					peak = max(peak, math.Abs(want[k]))
				}
				t.Logf("%+v: logits up to %.2f, largest difference %.2g", form, peak, most)
				if !(most <= tolerance) {
					t.Errorf("%+v: logits differ by %.2g", form, most)
				}
			}
		})
	}
}

// lively is a network with a tower as training begins, so that numbers stay as large as they
// are in trained ones, and with heads and biases that are not near zero.
func lively(t testing.TB, c net.Config, seed uint64) *net.Network {
	t.Helper()
	n := nettest.New(t, c, seed)
	other := nettest.Lively(t, c, seed)
	for i, p := range n.Params {
		tower := len(p.Shape) == 4 || p.Name[:6] == "blocks"
		for j := range p.Data {
			switch {
			case len(p.Shape) == 1:
				p.Data[j] = other.Params[i].Data[j] / 4
			case !tower:
				p.Data[j] = other.Params[i].Data[j]
			}
		}
	}
	return n
}

// reference returns what outputs does, from the processor.
func reference(t testing.TB, n *net.Network, positions *eval.Batch) []float64 {
	t.Helper()
	b, err := cpu.New(n)
	if err != nil {
		t.Fatal(err)
	}
	count := positions.Len()
	x := make([]net.Bits, count)
	for i := range x {
		net.EncodeBits(positions.Position(i), &x[i])
	}
	policy := make([]float32, count*game.NumActions)
	chances := [][]float32{make([]float32, count)}
	if n.Config.Has("stopped") {
		chances = append(chances, make([]float32, count))
	}
	b.NewPlan(count).Forward(x, count, append([][]float32{policy}, chances...)...)
	var all []float64
	for i := range count {
		for a := range game.NumActions {
			all = append(all, float64(policy[i*game.NumActions+net.PolicyIndex(game.Action(a), positions.Position(i).Side())]))
		}
		for _, c := range chances {
			v := float64(c[i])
			all = append(all, math.Log(v/(1-v)))
		}
	}
	return all
}

// TestAnswers compares the chances of actions, and the others, with what the processor makes of the
// device's numbers.
func TestAnswers(t *testing.T) {
	n := lively(t, net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16, Auxiliary: "stopped"}, 1)
	for _, p := range n.Params {
		if strings.HasSuffix(p.Name, "step.weight") || strings.HasSuffix(p.Name, "out.weight") {
			for i := range p.Data {
				p.Data[i] *= 1000 // so that some chances vanish
			}
		}
	}
	positions := random(40)
	s := open(t, device(t), n, kernels.Form{}, 40)
	numbers := outputs(t, s, positions)
	vanished, near := 0, func(got, want float64) bool { return math.Abs(got-want) <= 1e-6*want+1e-37 }
	for i := range positions.Len() {
		of := numbers[i*(game.NumActions+2):][:game.NumActions+2]
		var want []float32
		for _, a := range positions.Legal(i) {
			want = append(want, of[a])
		}
		eval.Softmax(want)
		for j, p := range positions.Priors(i) {
			if !near(float64(p), float64(want[j])) {
				t.Fatalf("position %d: the chance of action %d is %g, want %g", i, j, p, want[j])
			}
			if p < 1e-20 {
				vanished++
			}
		}
		for k, got := range []float32{positions.Value(i), positions.Stopped(i)} {
			if want := 1 / (1 + math.Exp(-float64(of[game.NumActions+k]))); !near(float64(got), want) {
				t.Errorf("position %d: chance %d is %g, want %g", i, k, got, want)
			}
		}
	}
	if vanished == 0 {
		t.Error("no chance vanishes")
	}
}

// TestNotANumber has weights that make some number of a position infinite, or not a number.
func TestNotANumber(t *testing.T) {
	for _, name := range []string{"policy.step", "policy.other", "value.out", "stopped.out"} {
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			n := lively(t, net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16, Auxiliary: "stopped"}, 1)
			for _, p := range n.Params {
				if p.Name == name+".bias" {
					p.Data[0] = float32(bad)
				}
			}
			if strings.HasSuffix(name, "out") && !math.IsNaN(bad) {
				continue // a chance of 1
			}
			b := new(eval.Batch)
			g := nettest.Played(0, 40) // whose steps north are legal
			b.Add(g, g.Legal(nil))
			all := make([]game.Action, game.NumActions)
			for a := range all {
				all[a] = game.Action(a)
			}
			b.Add(g, all)
			err := eval.Evaluate(open(t, device(t), n, kernels.Form{}, 2), b)
			if err == nil || !strings.Contains(err.Error(), "not a number") {
				t.Errorf("%s with %g: %v", name, bad, err)
			}
		}
	}
}

// TestSameBitsInEveryBatch evaluates positions in batches of 1, 7 and 64, in other places.
func TestSameBitsInEveryBatch(t *testing.T) {
	d := device(t)
	sizes := []net.Config{
		{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16, Auxiliary: "stopped"},
		{Blocks: 3, Channels: 32, PoolEvery: 3, PolicyChannels: 16, ValueChannels: 4, ValueHidden: 32},
		{Blocks: 6, Channels: 64, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64},
	}
	if testing.Short() {
		sizes = sizes[:2]
	}
	all := random(64)
	for i, c := range sizes {
		n := lively(t, c, uint64(i))
		for _, form := range forms {
			if form.Tensor && c.Channels > 32 {
				continue // likewise
			}
			s := open(t, d, n, form, 64)
			if err := eval.Evaluate(s, all); err != nil {
				t.Fatal(err)
			}
			for _, batch := range []int{1, 7} {
				var b eval.Batch
				for first := 0; first < 3*batch; first += batch {
					b.Reset()
					for i := first; i < first+batch; i++ {
						b.Add(all.Position(i), all.Legal(i))
					}
					if err := eval.Evaluate(s, &b); err != nil {
						t.Fatal(err)
					}
					for i := range batch {
						if b.Value(i) != all.Value(first+i) || b.Stopped(i) != all.Stopped(first+i) || !slices.Equal(b.Priors(i), all.Priors(first+i)) {
							t.Fatalf("%v %+v: position %d has other bits in a batch of %d", c, form, first+i, batch)
						}
					}
				}
			}
		}
	}
}

// What a head learns by must not change what it computes. Nor does it matter how many products
// compute it.
func TestProgramsWithEqualAnswers(t *testing.T) {
	d := device(t)
	n := nettest.Lively(t, nettest.Everything, 1)
	positions := random(3)
	answers := func(n *net.Network) []float32 {
		s := open(t, d, n, kernels.Form{}, 3)
		if err := s.Submit(positions); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Collect(); err != nil {
			t.Fatal(err)
		}
		var all []float32
		for i := range positions.Len() {
			all = append(append(all, positions.Priors(i)...), positions.Value(i), positions.Stopped(i))
		}
		return all
	}
	if !slices.Equal(answers(nettest.WithOtherLosses(n)), answers(n)) {
		t.Error("with other losses the answers are different")
	}
	if plain, longer := nettest.WithProducts(n); !slices.Equal(answers(longer), answers(plain)) {
		t.Error("with more products the answers are different")
	}
}
