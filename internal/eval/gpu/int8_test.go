package gpu

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/computetest"
	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper/hoppertest"
	"warren/internal/compute/ptx"
	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/internal/nettest"
	"warren/net"
)

// logged collects what is logged.
func logged(t *testing.T) *bytes.Buffer {
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	log := new(bytes.Buffer)
	slog.SetDefault(slog.New(slog.NewTextHandler(log, nil)))
	return log
}

// TestInt8 evaluates networks whose blocks are in bytes, by the interpreter of PTX, and compares them with the
// processor in fp32. The bits are the same in every batch.
func TestInt8(t *testing.T) {
	for _, c := range []struct {
		net.Config
		positions int
	}{
		{net.Config{Blocks: 2, Channels: 64, PoolEvery: 2, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 16, Auxiliary: "stopped"}, 9},
		{net.Config{Blocks: 6, Channels: 64, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64}, 3},
		{net.Config{Blocks: 1, Channels: 128, PoolEvery: 1, PolicyChannels: 32, ValueChannels: 16, ValueHidden: 16}, 2},
	} {
		t.Run(c.String(), func(t *testing.T) {
			if (c.Channels > 64 || c.Blocks > 2) && testing.Short() {
				t.Skip("an interpreter is slow")
			}
			log := logged(t)
			n, d := lively(t, c.Config, 1), NewDevice(&ptx.Device{Seed: 1})
			b, err := NewInt8(d, n)
			if err != nil {
				t.Fatal(err)
			}
			if a := b.Attributes(); a.Path != "ptx-int8-wgmma90" || a.Precision != "int8" || a.Saturation == nil || log.Len() > 0 {
				t.Fatalf("%+v, log %s", a, log)
			}
			s, err := b.Open(c.positions)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			all := random(c.positions)
			got, want, most := outputs(t, s.(*stream), all), reference(t, n, all), 0.0
			for k := range got {
				most = max(most, math.Abs(float64(got[k])-want[k]))
			}
			t.Logf("largest difference of logits %.2g", most)
			if !(most <= .05) {
				t.Errorf("logits differ by %.2g", most)
			}
			b.plan.limits.looks.Wait()
			if looked, limited := b.Attributes().Saturation.Counts(); looked != 1 || limited != 0 { // of the first batch
				t.Errorf("%d of %d positions are limited", limited, looked)
			}
			one := new(eval.Batch)
			last := c.positions - 1
			one.Add(all.Position(last), all.Legal(last))
			if err := eval.Evaluate(s, one); err != nil {
				t.Fatal(err)
			}
			if one.Value(0) != all.Value(last) || !slices.Equal(one.Priors(0), all.Priors(last)) {
				t.Error("alone a position has other bits")
			}
		})
	}
}

// capability is a device that says it has another compute capability.
type capability struct {
	compute.Device
	is int
}

func (c capability) Info() compute.Info {
	i := c.Device.Info()
	i.Compute = c.is
	return i
}

// TestInt8FallsBack puts networks on devices where bytes cannot be, because of the network, the device and its
// kernel.
func TestInt8FallsBack(t *testing.T) {
	one := wide
	one.Blocks = 1
	narrow, manyHeads, pooled := one, one, one
	narrow.Channels = 32
	manyHeads.PolicyChannels, manyHeads.ValueChannels = 48, 17
	pooled.Blocks = 2
	for what, c := range map[string]struct {
		device compute.Device
		config net.Config
		path   string
	}{
		"residual blocks of 64, 128": {&ptx.Device{}, narrow, "ptx-fp16-mma90"},
		"heads that begin":           {&ptx.Device{}, manyHeads, "ptx-fp16-wgmma90"},
		"compute capability 8.0":     {capability{&ptx.Device{}, 80}, narrow, "ptx-fp16-mma80"},
		"other bits than plain Go":   {otherBytes{&ptx.Device{}, "min.f32", "max.f32"}, one, "ptx-fp16-wgmma90"},
		"other bits than plain":      {otherBytes{&ptx.Device{}, "max.u32", "min.u32"}, pooled, "ptx-fp16-wgmma90"}, // in the second block alone
		"building the kernels":       {otherBytes{&ptx.Device{}, ".version 8.4", ".versio 8.4"}, one, "ptx-fp16-wgmma90"},
	} {
		log := logged(t)
		d := NewDevice(c.device)
		for range 2 {
			b, err := NewInt8(d, nettest.Lively(t, c.config, 1))
			if err != nil {
				t.Fatal(err)
			}
			if path := b.Attributes().Path; path != c.path {
				t.Errorf("%s: the path is %s", what, path)
			}
		}
		if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), what) {
			t.Errorf("%s: the log has %d lines: %s", what, n, log)
		}
	}
}

// TestInt8OfTheNextNetwork puts networks on a device that are damaged, and that bytes cannot express. They do not take the kernel from the next network.
func TestInt8OfTheNextNetwork(t *testing.T) {
	c := wide
	c.Blocks, c.PoolEvery = 1, 1
	good := lively(t, c, 1)
	d := NewDevice(&ptx.Device{})
	for what, change := range map[string]func(*net.Network){
		"gives numbers of up to NaN": func(n *net.Network) {
			n.Param("blocks.0.pool.bias").Data[5] = float32(math.NaN())
		},
		"its results differ from the processor's": func(n *net.Network) {
			// Large weights of a dead channel, beside which the others are 0 in bytes.
			n.Param("stem.bias").Data[0] = -100
			w := n.Param("blocks.0.conv1.weight").Data
			for i := range w {
				if i/64%64 == 0 {
					w[i] = 1000
				}
			}
			for i, w := range n.Param("policy.step.weight").Data {
				n.Param("policy.step.weight").Data[i] = 30 * w
			}
		},
	} {
		log, n := logged(t), good.Clone()
		change(n)
		b, err := NewInt8(d, n)
		if err != nil {
			t.Fatal(err)
		}
		if path := b.Attributes().Path; path != "ptx-fp16-wgmma90" || !strings.Contains(log.String(), what) {
			t.Errorf("%s: the path is %s, log %s", what, path, log)
		}
	}
	b, err := NewInt8(d, good)
	if err != nil {
		t.Fatal(err)
	}
	if path := b.Attributes().Path; path != "ptx-int8-wgmma90" {
		t.Errorf("the next network is on the path %s", path)
	}
}

// TestInt8LosesDevice loses the device while the kernel in bytes is compared with plain Go.
func TestInt8LosesDevice(t *testing.T) {
	c := wide
	c.Blocks = 1
	n := lively(t, c, 1)
	f := &computetest.Faulty{Device: &ptx.Device{}, Once: true}
	d := NewDevice(f)
	f.Fail("Launch", compute.ErrLost)
	if b, err := NewInt8(d, n); !errors.Is(err, eval.ErrLost) || f.Closed != f.Opened {
		t.Errorf("got %v, %v, the device was opened %d times and closed %d times", b, err, f.Opened, f.Closed)
	}
	b, err := NewInt8(d, n)
	if err != nil {
		t.Fatal(err)
	}
	if path := b.Attributes().Path; path != "ptx-int8-wgmma90" {
		t.Errorf("then the path is %s", path)
	}
}

// otherBytes is a device whose driver makes something else of the kernel in bytes.
type otherBytes struct {
	compute.Device
	from, to string
}

func (d otherBytes) Open(p compute.Program) (compute.Context, error) {
	for i, text := range p.More {
		p.More[i] = func() ([]byte, error) {
			b, err := text()
			if bytes.Contains(b, []byte(".entry bytes")) {
				b = bytes.Replace(b, []byte(d.from), []byte(d.to), 1)
			}
			return b, err
		}
	}
	return d.Device.Open(p)
}

// TestQuantise checks what quantise promises: that no activation of calibration is limited, that the largest
// weight of each output is 127, and that the means of outputs are those of the exact weights and activations.
func TestQuantise(t *testing.T) {
	if testing.Short() {
		t.Skip("plain Go and the race detector take minutes for a whole 6x64")
	}
	n := nettest.Lively(t, wide, 1)
	q, err := quantise("cuda:0", n)
	if err != nil {
		t.Fatal(err)
	}
	b, err := cpu.NewInt16(n)
	if err != nil {
		t.Fatal(err)
	}
	positions := calibration(b)
	if q.limits.limited(positions) {
		t.Error("an activation of calibration is limited")
	}
	for _, at := range []float32{1.01, .99} {
		for _, most := range q.limits.most {
			for i := range most {
				most[i] *= at / beyond
			}
		}
		if limited := q.limits.limited(positions); limited != (at < 1) {
			t.Errorf("at %g of the largest activation, one of calibration is limited: %v", at, limited)
		}
		for _, most := range q.limits.most {
			for i := range most {
				most[i] *= beyond / at
			}
		}
	}
	c := n.Config.Channels
	for i, block := range q.blocks.Blocks {
		if pooled := (i+1)%2 == 0; pooled != (block.Pool != nil) {
			t.Errorf("block %d has %d weights of a product", i, len(block.Pool))
		}
		for k, w := range block.Weights {
			most := make([]int8, c)
			for j, v := range w {
				most[j%c] = max(most[j%c], v, -v)
			}
			if slices.Min(most) != 127 || len(w) != 9*c*c {
				t.Errorf("block %d, convolution %d: the largest weights of outputs are %d", i, k, most)
			}
		}
	}
	all, _ := blocksOf(n.Program)
	layer := n.Program.Op(all.all[0].first).Layer
	exact, rounded := make([]float64, c), make([]float64, c)
	first := q.blocks.Blocks[0]
	b.Activations(positions, func(of net.Value, boards []int16, stride int, step []float32) {
		if of != all.input {
			return
		}
		for ; len(boards) > 0; boards = boards[64*stride:] {
			for _, o := range []int{0, 17, 63} {
				for square := range 64 {
					exact[o] += float64(n.Bias(layer)[o])
					sum := 0.0
					for tap := range 9 {
						rank, file := square/8+tap/3-1, square%8+tap%3-1
						if rank < 0 || rank > 7 || file < 0 || file > 7 {
							continue
						}
						for i := range c {
							x, at := float64(boards[(rank*8+file)*stride+i])*float64(step[i]), (tap*c+i)*c+o
							exact[o] += x * float64(n.Weight(layer)[at])
							sum += min(255, math.RoundToEven(x*float64(q.blocks.Input[i]))) * float64(first.Weights[0][at])
						}
					}
					rounded[o] += (sum*float64(first.Scale[0][o]) + float64(first.Bias[0][o])) * float64(first.Step[o])
				}
			}
		}
	})
	for _, o := range []int{0, 17, 63} {
		if count := float64(64 * len(positions)); !(math.Abs(exact[o]-rounded[o])/count < 1e-5) || exact[o] == 0 {
			t.Errorf("the mean of output %d is %g, want %g", o, rounded[o]/count, exact[o]/count)
		}
	}
}

// TestSteps has channels that were most active, less, hardly and never, and a layer that never was.
func TestSteps(t *testing.T) {
	a := &activations{unit: []float64{1, 2, 1, 1}, most: []int16{100, 10, 4, 0}}
	a.merge(&activations{most: []int16{90, 32, 4, 0}})
	for c, want := range []float64{100, 80, 50, 50} {
		if got := 255 * a.steps()[c]; !(math.Abs(got-want) < 1e-9) {
			t.Errorf("255 steps of channel %d are %g, want %g", c, got, want)
		}
	}
	dead := &activations{unit: []float64{1}, most: []int16{0}}
	if per := inverse(dead.steps())[0]; !(per > 0 && per < 1e12) {
		t.Errorf("a layer that was never active has %g steps per 1", per)
	}
}

// TestQuantiseUnusual rounds networks with weights of 0, with a dead layer, and with numbers that bytes, or the
// fp16 of the products, cannot express.
func TestQuantiseUnusual(t *testing.T) {
	for what, c := range map[string]struct {
		param  string
		change func(int, float32) float32
		fails  bool
	}{
		"nothing":                {"stem.bias", func(_ int, v float32) float32 { return v }, false},
		"an output of zeros":     {"blocks.0.conv1.weight", func(i int, v float32) float32 { return v * float32(min(i%16, 1)) }, false},
		"a convolution of zeros": {"blocks.1.conv2.weight", func(int, float32) float32 { return 0 }, false},
		"a dead stem":            {"stem.bias", func(int, float32) float32 { return -100 }, false},
		"a dead layer":           {"blocks.0.conv1.bias", func(int, float32) float32 { return -100 }, false},
		"no number":              {"blocks.1.pool.bias", func(int, float32) float32 { return float32(math.NaN()) }, true},
		"more than fp16":         {"blocks.1.pool.weight", func(int, float32) float32 { return 1e5 }, true},
		"more than int16":        {"blocks.0.conv1.weight", func(int, float32) float32 { return 1e20 }, true},
	} {
		n := lively(t, small, 1)
		for i, v := range n.Param(c.param).Data {
			n.Param(c.param).Data[i] = c.change(i, v)
		}
		if _, err := quantise("cuda:0", n); (err != nil) != c.fails {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestBytePlan reads the plan of a network with blocks in bytes.
func TestBytePlan(t *testing.T) {
	for _, c := range []struct{ channels, every int }{{64, 0}, {256, 2}} {
		config := wide
		config.Channels, config.Blocks, config.PoolEvery = c.channels, 2, c.every
		n := nettest.Lively(t, config, 1)
		of := build{form: tensor16, tower: towerOf(compute.Info{Compute: 90}, tensor16, n).InBytes()}
		q := &quantised{blocks: hoppertest.NewBytes(c.channels, 2, c.every, 1)}
		p, err := newPlanOf(n, of, q)
		if err != nil {
			t.Fatal(err)
		}
		m := places(p)
		call, ok := p.steps[0].call(m).(kernels.ByteNetwork)
		if !ok || call.Blocks != 2 || call.Every != c.every || call.Boards != 24 || call.Width != 16 || call.Positions != p.input.in(m) || call.Local != compute.Local(of.tower.Shared()) {
			t.Fatalf("the first call is %+v", call)
		}
		if got := p.activations[call.Y.(place).at]; got != 64*16*2 {
			t.Errorf("the first layers have %d bytes", got)
		}
		if got := p.activations[call.Scratch.(place).at]; c.channels == 256 && (got != 64*256*2 || call.Scratch == call.Y) {
			t.Errorf("the scratch memory has %d bytes", got)
		}
		first, err := n.FirstLayers()
		if err != nil {
			t.Fatal(err)
		}
		weights, biases, scales, pools := q.blocks.Memory(of.tower)
		weights = slices.Concat(of.tower.PackStem(n.Param("stem.weight").Data), weights, of.tower.PackFirst(first.Weight))
		biases = slices.Concat(n.Param("stem.bias").Data, biases, first.Bias, make([]float32, 64-12))
		for what, v := range map[string]struct {
			of   compute.Buffer
			want []byte
		}{
			"weights": {call.Weights, weights}, "biases": {call.Biases, kernels.Floats(biases)}, "scales": {call.Scales, kernels.Floats(scales)},
			"pools": {call.Pool, halves.Store(append(pools, 0, 0, 0, 0))}, // memory of no bytes cannot be had
		} {
			if !bytes.Equal(p.tensors[v.of.(place).at], v.want) {
				t.Errorf("%d channels: the %s are others", c.channels, what)
			}
		}
	}
}

// TestTurns: one batch in 64 has its turn, and in the course of time every position of a batch of any size.
func TestTurns(t *testing.T) {
	for _, size := range []int{1, 5, 64, 96} {
		l, seen := new(limits), map[int]bool{}
		for i := range size * lookedAt {
			at, is := l.turn(size)
			if is != (i%lookedAt == 0) {
				t.Fatalf("the turn of batch %d is %v", i, is)
			}
			if is {
				seen[at] = true
			}
		}
		if len(seen) != size {
			t.Errorf("of batches of %d, %d positions had a turn", size, len(seen))
		}
	}
}

// TestLimits counts positions of a network that was calibrated, and of one whose activations are then larger.
func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("plain Go and the race detector take minutes for a whole 6x64")
	}
	n := nettest.Lively(t, wide, 1)
	q, err := quantise("cuda:0", n)
	if err != nil {
		t.Fatal(err)
	}
	l := q.limits
	for range 3 * lookedAt {
		l.look(random(2))
		l.looks.Wait()
	}
	if looked, limited := l.saturation.Counts(); looked != 3 || limited != 0 {
		t.Errorf("%d of %d positions are limited, want 0 of 3", limited, looked)
	}
	l.busy = true
	l.look(random(1))
	l.looks.Wait()
	if looked, _ := l.saturation.Counts(); looked != 3 || l.batches%lookedAt != 1 {
		t.Errorf("a position is looked at while another one is")
	}
	l.busy = false
	for _, most := range l.most {
		most[5] = 0
	}
	for range 300 * lookedAt {
		l.mu.Lock()
		l.batches = 0
		l.mu.Unlock()
		l.look(random(1))
		l.looks.Wait()
		if w := l.saturation.Warning(); w != "" {
			if !strings.Contains(w, "int8") || !strings.Contains(w, "device=cuda:0 ") {
				t.Error(w)
			}
			return
		}
	}
	t.Error("there is no warning")
}
