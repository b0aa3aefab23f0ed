package graph

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/eval/cpu"
	"warren/internal/learn"
	"warren/internal/learn/learntest"
	"warren/internal/nettest"
	"warren/net"
)

// lesson returns a batch for a network with only the policy and the value.
func lesson(seed uint64, size int) *learn.Batch {
	return learntest.Lesson(net.Config{}, seed, size)
}

// referenceLosses computes the losses by definition, in float64, with the
// reference network.
func referenceLosses(n *net.Network, b *learn.Batch) learn.Losses {
	var losses learn.Losses
	heads := n.Config.Heads()
	for _, h := range heads {
		losses = append(losses, learn.Loss{Head: h.Name})
	}
	for i := range b.Targets[1].Values {
		outputs := nettest.Reference(n, &b.Bits[i])
		legal := b.Legal[i*game.NumActions:][:game.NumActions]
		for k, h := range heads {
			w := float64(b.Targets[k].Weight[i])
			if w == 0 {
				continue
			}
			losses[k].Mean += w * referenceLoss(h.Loss, outputs[k], b.Targets[k].Values[i*h.Size:][:h.Size], legal)
			losses[k].Weight += w
		}
	}
	for k := range losses {
		losses[k].Mean /= losses[k].Weight
	}
	return losses
}

func referenceLoss(loss net.Loss, logits []float64, target []float32, legal []bool) float64 {
	sum, z := 0.0, 0.0
	for j, logit := range logits {
		if loss != net.Policy || legal[j] {
			z += math.Exp(logit)
		}
	}
	for j, logit := range logits {
		t := float64(target[j])
		switch {
		case loss == net.Chances && !math.IsNaN(t):
			chance := nettest.Chance(logit)
			sum -= t*math.Log(chance) + (1-t)*math.Log(1-chance)
		case loss == net.Shares, loss == net.Policy && legal[j]:
			sum -= t * (logit - math.Log(z))
		}
	}
	return sum
}

// total returns the weighted sum of the losses that a graph differentiates.
func total(g *Graph, l learn.Losses) float64 {
	sum := 0.0
	for i := range l {
		sum += g.LossWeights[i] * l[i].Mean
	}
	return sum
}

func newTestGraph(t testing.TB, n *net.Network, size, workers int) *Graph {
	t.Helper()
	g, err := NewGraphWorkers(n, size, workers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

func gradients(t testing.TB, g *Graph, b *learn.Batch) learn.Losses {
	t.Helper()
	l, err := g.Gradients(b)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestGraphLosses(t *testing.T) {
	for i, c := range nettest.Configs {
		n := nettest.Lively(t, c, uint64(i))
		g := newTestGraph(t, n, 4, 2)
		b := learntest.Lesson(c, uint64(i), 4)
		want := referenceLosses(n, b)
		check := func(name string, got learn.Losses, err error) {
			if err != nil {
				t.Fatal(err)
			}
			for k := range want {
				if got[k].Head != want[k].Head || !(math.Abs(got[k].Mean-want[k].Mean) <= 1e-4*want[k].Mean) || !(math.Abs(got[k].Weight-want[k].Weight) <= 1e-4*want[k].Weight) {
					t.Errorf("%v: %s: got %+v, want %+v", c, name, got, want)
				}
			}
		}
		held, err := g.Losses(b)
		check("Losses before any gradients", held, err)
		l, err := g.Gradients(b)
		check("Gradients", l, err)
		again, err := g.Losses(b)
		check("Losses after gradients", again, err)
		if !slices.Equal(held, l) || !slices.Equal(again, l) {
			t.Errorf("%v: losses of the same batch: %+v, %+v, %+v", c, held, l, again)
		}
	}
}

// Some elements of every parameter's gradient agree with central differences of
// the float64 reference.
func TestGraphGradients(t *testing.T) {
	for _, c := range []net.Config{
		{Blocks: 3, Channels: 8, PoolEvery: 2, PolicyChannels: 5, ValueChannels: 3, ValueHidden: 6},
		nettest.Everything,
	} {
		t.Run(c.Auxiliary, func(t *testing.T) { testGraphGradients(t, c) })
	}
}

func testGraphGradients(t *testing.T, c net.Config) {
	n := nettest.Lively(t, c, 4)
	b := learntest.Lesson(c, 7, 3)
	g := newTestGraph(t, n, 3, 2)
	for k := range g.LossWeights[2:] {
		g.LossWeights[2+k] = 1 // so that an error would show
	}
	gradients(t, g, b)
	r := rand.New(rand.NewPCG(3, 3))
	at := func(x *float32, v float32) float64 {
		old := *x
		defer func() { *x = old }()
		*x = v
		return total(g, referenceLosses(n, b))
	}
	for j, p := range n.Params {
		most := 0.0
		for _, d := range g.Gradient(j) {
			most = max(most, math.Abs(float64(d)))
		}
		if most == 0 {
			t.Errorf("%s: all gradients are zero", p.Name)
		}
		for range 4 {
			k := r.IntN(len(p.Data))
			// The step is small, so that it hardly ever takes a unit across its kink.
			hi, lo := p.Data[k]+2e-5, p.Data[k]-2e-5
			want := (at(&p.Data[k], hi) - at(&p.Data[k], lo)) / (float64(hi) - float64(lo))
			if got := float64(g.Gradient(j)[k]); !(math.Abs(got-want) <= 2e-3*most+1e-7) {
				t.Errorf("%s[%d]: gradient %g, by differences %g (largest %g)", p.Name, k, got, want, most)
			}
		}
	}
}

// It does not matter for losses and gradients how many products compute a network.
func TestProgramsWithEqualGradients(t *testing.T) {
	c := nettest.Everything
	n, m := nettest.WithProducts(nettest.Lively(t, c, 1))
	b := learntest.Lesson(c, 1, 4)
	plain, longer := newTestGraph(t, n, 4, 2), newTestGraph(t, m, 4, 2)
	if want, got := gradients(t, plain, b), gradients(t, longer, b); !slices.Equal(got, want) {
		t.Errorf("with more products the losses are %+v, want %+v", got, want)
	}
	for i, p := range n.Params {
		if strings.HasSuffix(p.Name, "pool.weight") {
			continue // the longer program has no gradient by the rows that it ignores
		}
		if !slices.Equal(longer.Gradient(i), plain.Gradient(i)) {
			t.Errorf("with more products the gradient by %s is different", p.Name)
		}
	}
}

func TestGraphValueScale(t *testing.T) {
	n := nettest.Lively(t, nettest.Configs[1], 1)
	g := newTestGraph(t, n, 2, 1)
	b := lesson(1, 2)
	at := func(scale float64) (learn.Losses, []float32, []float32) {
		g.LossWeights[1] = scale
		l := gradients(t, g, b)
		last := len(n.Params) - 1
		stem := append([]float32(nil), g.Gradient(0)...)
		return l, stem, append([]float32(nil), g.Gradient(last)...)
	}
	l0, stem0, out0 := at(0)
	l1, stem1, out1 := at(1)
	l3, stem3, out3 := at(3)
	if !slices.Equal(l0, l1) || !slices.Equal(l3, l1) {
		t.Errorf("the losses themselves change with the weight: %+v, %+v, %+v", l0, l1, l3)
	}
	if out0[0] != 0 || math.Abs(float64(out3[0]-3*out1[0])) > 1e-6 {
		t.Errorf("the value's own gradient is %g, %g, %g at scales 0, 1, 3", out0[0], out1[0], out3[0])
	}
	for i := range stem0 { // linear in the scale
		want := float64(stem0[i]) + 3*(float64(stem1[i])-float64(stem0[i]))
		if math.Abs(float64(stem3[i])-want) > 1e-4 {
			t.Fatalf("stem gradient %d: %g, want %g", i, stem3[i], want)
		}
	}
}

// A position whose weights are 0 changes nothing.
func TestGraphIgnoresWeightless(t *testing.T) {
	n := nettest.Lively(t, nettest.Configs[0], 1)
	g := newTestGraph(t, n, 4, 2)
	b := lesson(2, 4)
	b.Targets[0].Weight[1], b.Targets[1].Weight[1] = 0, 0
	first := gradients(t, g, b)
	grads := make([][]float32, len(n.Params))
	for i := range grads {
		grads[i] = append([]float32(nil), g.Gradient(i)...)
	}
	clear(b.Legal[game.NumActions : 2*game.NumActions])
	clear(b.Targets[0].Values[game.NumActions : 2*game.NumActions])
	b.Targets[1].Values[1] = 1
	for p := range b.Bits[1].Values {
		b.Bits[1].Squares[p], b.Bits[1].Values[p] = math.MaxUint64, 0.5
	}
	if second := gradients(t, g, b); !slices.Equal(second, first) {
		t.Errorf("losses %+v, then %+v", first, second)
	}
	for i := range grads {
		for j, v := range g.Gradient(i) {
			if math.Abs(float64(v-grads[i][j])) > 1e-5 {
				t.Fatalf("%s[%d]: gradient %g, then %g", n.Params[i].Name, j, grads[i][j], v)
			}
		}
	}
	for i := range b.Targets[0].Weight {
		b.Targets[0].Weight[i], b.Targets[1].Weight[i] = 0, 0
	}
	if l := gradients(t, g, b); total(g, l) != 0 {
		t.Errorf("losses without any weight: %+v", l)
	}
	for i, p := range n.Params {
		for _, v := range g.Gradient(i) {
			if v != 0 {
				t.Fatalf("%s: gradient %g without any weight", p.Name, v)
			}
		}
	}
}

func TestGraphSameWhateverTheWorkers(t *testing.T) {
	for i, c := range nettest.Configs[:3] {
		n := nettest.Lively(t, c, uint64(i))
		b := lesson(3, 9)
		one := newTestGraph(t, n, 9, 1)
		want := gradients(t, one, b)
		for _, workers := range []int{2, 5} {
			g := newTestGraph(t, n, 9, workers)
			for range 2 {
				if l := gradients(t, g, b); !slices.Equal(l, want) {
					t.Errorf("%v: losses %+v, of one worker %+v", c, l, want)
				}
				for j, p := range n.Params {
					for k, v := range g.Gradient(j) {
						if math.Float32bits(v) != math.Float32bits(one.Gradient(j)[k]) {
							t.Fatalf("%v: %s[%d]: gradient %g, of one worker %g", c, p.Name, k, v, one.Gradient(j)[k])
						}
					}
				}
			}
		}
	}
}

// evaluate runs the network of a graph on the positions of a batch. Each of outputs, one per head in the network's
// order, receives the logits, [positions][Size].
func evaluate(t testing.TB, g *Graph, b *learn.Batch, outputs ...[]float32) {
	t.Helper()
	if _, err := g.Losses(b); err != nil {
		t.Fatal(err)
	}
	for k, out := range outputs {
		h := g.heads[k]
		for i := range g.size {
			row := out[i*h.Size:][:h.Size]
			for _, o := range h.outputs {
				for j := range o.size() {
					row[j] = o.data[o.index(i, j)]
				}
				row = row[o.size():]
			}
		}
	}
}

func TestGraphEvaluatesAsPlan(t *testing.T) {
	for i, c := range nettest.Configs {
		n := nettest.Lively(t, c, uint64(i))
		const size = 6
		b := learntest.Lesson(c, uint64(i), size)
		policy, value := make([]float32, size*game.NumActions), make([]float32, size)
		evaluate(t, newTestGraph(t, n, size, 2), b, policy, value)
		wantPolicy, wantValue := make([]float32, len(policy)), make([]float32, size)
		plan(t, n, size).Forward(b.Bits, size, wantPolicy, wantValue)
		for j, v := range policy {
			if math.Abs(float64(v-wantPolicy[j])) > 1e-4*(1+math.Abs(float64(v))) {
				t.Fatalf("%v: logit %d: %g, of the plan %g", c, j, v, wantPolicy[j])
			}
		}
		for j, v := range value {
			if chance := 1 / (1 + math.Exp(-float64(v))); math.Abs(chance-float64(wantValue[j])) > 1e-4 {
				t.Fatalf("%v: chance %d: %g, of the plan %g", c, j, chance, wantValue[j])
			}
		}
	}
}

// A new network learns a small batch by heart, and the graph sees what is written
// to the parameters.
func TestGraphLearns(t *testing.T) {
	n := nettest.New(t, net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}, 1)
	const size = 8
	b := lesson(11, size)
	entropy := 0.0 // lower bound of the policy loss
	for i := range size {
		b.Targets[0].Weight[i], b.Targets[1].Weight[i] = 1, 1
		b.Targets[1].Values[i] = float32(i % 2)
	}
	for _, t := range b.Targets[0].Values {
		if t > 0 {
			entropy -= float64(t) * math.Log(float64(t)) / size
		}
	}
	g := newTestGraph(t, n, size, 2)
	first := gradients(t, g, b)
	square := make([][]float64, len(n.Params))
	speed := make([][]float64, len(n.Params))
	for i, p := range n.Params {
		square[i], speed[i] = make([]float64, len(p.Data)), make([]float64, len(p.Data))
	}
	for range 150 { // Adam without bias corrections
		gradients(t, g, b)
		for i, p := range n.Params {
			for j, d := range g.Gradient(i) {
				speed[i][j] += 0.1 * (float64(d) - speed[i][j])
				square[i][j] += 0.01 * (float64(d)*float64(d) - square[i][j])
				p.Data[j] -= float32(0.002 * speed[i][j] / (math.Sqrt(square[i][j]) + 1e-8))
			}
		}
	}
	last, err := g.Losses(b)
	if err != nil {
		t.Fatal(err)
	}
	if !(last.Of("value") < 0.1*first.Of("value")) || !(last.Of("policy")-entropy < 0.2*(first.Of("policy")-entropy)) {
		t.Errorf("losses went from %+v to %+v, the policy target's entropy is %.3f", first, last, entropy)
	}
}

func TestGraphRejectsBatches(t *testing.T) {
	n := nettest.Lively(t, nettest.Configs[1], 1)
	g := newTestGraph(t, n, 2, 1)
	nan := float32(math.NaN())
	for _, c := range []struct {
		want string
		harm func(b *learn.Batch)
	}{
		{"Bits has", func(b *learn.Batch) { b.Bits = make([]net.Bits, 1) }},
		{"Legal has", func(b *learn.Batch) { b.Legal = nil }},
		{"the target of policy has", func(b *learn.Batch) { b.Targets[0].Values = b.Targets[0].Values[:5] }},
		{"the weight of value has", func(b *learn.Batch) { b.Targets[1].Weight = b.Targets[1].Weight[:1] }},
		{"position 1: the target of value has 1.5", func(b *learn.Batch) { b.Targets[1].Values[1] = 1.5 }},
		{"the target of value has only NaN", func(b *learn.Batch) { b.Targets[1].Values[0] = nan }},
		{"the weight of policy is -1", func(b *learn.Batch) { b.Targets[0].Weight[1] = -1 }},
		{"the weight of value is +Inf", func(b *learn.Batch) { b.Targets[1].Weight[1] = float32(math.Inf(1)) }},
		{"sums to", func(b *learn.Batch) { clear(b.Targets[0].Values) }},
		{"for the illegal action", func(b *learn.Batch) { clear(b.Legal) }},
		{"the target of policy has NaN", func(b *learn.Batch) { b.Targets[0].Values[3] = nan }},
	} {
		b := lesson(1, 2)
		c.harm(b)
		_, err := g.Gradients(b)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, c.want)
		}
	}
	c := nettest.Everything
	at := func(name string) int {
		return slices.IndexFunc(c.Heads(), func(h net.Head) bool { return h.Name == name })
	}
	all := newTestGraph(t, nettest.Lively(t, c, 1), 1, 1)
	for want, harm := range map[string]func(b *learn.Batch){
		"the target of moves_left sums to":   func(b *learn.Batch) { clear(b.Targets[at("moves_left")].Values) },
		"the target of reply has -1":         func(b *learn.Batch) { b.Targets[at("reply")].Values[7] = -1 },
		"the target of values has only NaN":  func(b *learn.Batch) { copy(b.Targets[at("values")].Values, []float32{nan, nan, nan}) },
		"the target of survival has 2, must": func(b *learn.Batch) { b.Targets[at("survival")].Values[0] = 2 },
	} {
		b := learntest.Lesson(c, 1, 1)
		for k := range b.Targets {
			b.Targets[k].Weight[0] = 1
		}
		harm(b)
		if _, err := all.Gradients(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	for _, size := range []int{0, -1} {
		if _, err := NewGraphWorkers(n, size, 1); err == nil {
			t.Errorf("a graph for %d positions", size)
		}
	}
}

// The memory that a run allocates does not grow with the network or the batch.
func TestGraphMemory(t *testing.T) {
	n := nettest.Lively(t, nettest.Configs[4], 1)
	b := lesson(1, 16)
	g := newTestGraph(t, n, 16, 2)
	gradients(t, g, b)
	const steps = 5
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range steps {
		gradients(t, g, b)
	}
	runtime.ReadMemStats(&after)
	bytes := (after.TotalAlloc - before.TotalAlloc) / steps
	t.Logf("%d bytes in %d allocations a step", bytes, (after.Mallocs-before.Mallocs)/steps)
	// One activation is 16*64*64*4 bytes, and a step computes over twenty.
	if one := uint64(16 * 64 * 64 * 4); bytes > 2*one {
		t.Errorf("a step allocates %d bytes, an activation is %d", bytes, one)
	}
}

// plan returns a plan of the network for the processor.
func plan(t *testing.T, n *net.Network, batch int) *cpu.Plan {
	t.Helper()
	b, err := cpu.New(n)
	if err != nil {
		t.Fatal(err)
	}
	return b.NewPlan(batch)
}

// TestGraphRefusesOperations changes a network's operations to some that the graph does not compute.
func TestGraphRefusesOperations(t *testing.T) {
	pool := func(o net.Op) bool { return o.Kind == net.Pool }
	conv := func(o net.Op) bool { return o.Kind == net.Conv3x3 }
	square := func(o net.Op) bool { return o.Kind == net.Conv1x1 }
	for name, c := range map[string]struct {
		is     func(o net.Op) bool
		change func(o *net.Op)
	}{
		"pooling with a ReLU":          {pool, func(o *net.Op) { o.Activation = net.ReLU }},
		"pooling with a residual":      {pool, func(o *net.Op) { o.Residual = o.X }},
		"a convolution without a ReLU": {conv, func(o *net.Op) { o.Activation = net.Linear }},
		"another activation":           {square, func(o *net.Op) { o.Activation = net.Logistic }},
		"a product with a residual":    {square, func(o *net.Op) { o.Residual = o.X }},
	} {
		n := nettest.Lively(t, nettest.Configs[3], 1)
		c.change(&n.Program.Ops[slices.IndexFunc(n.Program.Ops, c.is)])
		if _, err := NewGraphWorkers(n, 4, 1); err == nil || !strings.Contains(err.Error(), ": the training graph does not compute operation ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
