package gpu

import (
	"bytes"
	"slices"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
	"warren/internal/nettest"
	"warren/net"
)

var (
	halves   = kernels.Form{Half: true}
	tensor16 = kernels.Form{Half: true, Tensor: true}
)

// wide is a network whose blocks a tower computes.
var wide = net.Config{Blocks: 5, Channels: 64, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}

// TestTowerOf has networks with blocks that a kernel computes at once, and others.
func TestTowerOf(t *testing.T) {
	hopper90 := compute.Info{Driver: "cuda", Compute: 90}
	name := func(i compute.Info, f kernels.Form, c net.Config, change func(*net.Program)) string {
		n := nettest.Lively(t, c, 1)
		if change != nil {
			change(n.Program)
		}
		return towerOf(i, f, n).Kernel
	}
	with := func(channels, every int) net.Config {
		c := wide
		c.Channels, c.PoolEvery = channels, every
		return c
	}
	manyHeads := with(64, 2)
	manyHeads.PolicyChannels, manyHeads.ValueChannels = 48, 17
	for _, c := range []struct {
		info compute.Info
		form kernels.Form
		net  net.Config
		want string
	}{
		{hopper90, tensor16, with(64, 2), "network64"},
		{hopper90, tensor16, with(128, 1), "network128"},
		{hopper90, tensor16, with(256, 0), "network256"},
		{hopper90, tensor16, manyHeads, "tower64"},
		{hopper90, tensor16, with(32, 2), ""},
		{hopper90, kernels.Form{}, with(64, 2), ""},
		{compute.Info{Driver: "cuda", Compute: 89}, tensor16, with(64, 2), ""},
		{compute.Info{Driver: "cuda", Compute: 100}, tensor16, with(64, 2), ""},
	} {
		if got := name(c.info, c.form, c.net, nil); got != c.want {
			t.Errorf("%d, %+v, %v: the kernel is %q, want %q", c.info.Compute, c.form, c.net, got, c.want)
		}
	}
}

// TestBlocksOf changes operations of a network of five blocks. Those before the change are no part of
// the blocks at the end.
func TestBlocksOf(t *testing.T) {
	count := func(change func(*net.Program)) int {
		n := nettest.Lively(t, wide, 1)
		change(n.Program)
		b, _ := blocksOf(n.Program)
		return len(b.all)
	}
	second := func(p *net.Program, i int) *net.Op {
		b, _ := blocksOf(p)
		return p.Op(b.all[i].second)
	}
	for what, c := range map[string]struct {
		change func(*net.Program)
		want   int
	}{
		"nothing":                            {func(p *net.Program) {}, 5},
		"a convolution without a ReLU":       {func(p *net.Program) { p.Op(p.Trunk).Activation = net.Linear }, 0},
		"a first convolution without a ReLU": {func(p *net.Program) { p.Op(p.Trunk - 1).Activation = net.Linear }, 0},
		"another number of channels":         {func(p *net.Program) { p.Op(p.Trunk - 1).Channels = 32 }, 0},
		"a block without a residual":         {func(p *net.Program) { second(p, 2).Residual = net.None }, 2},
		"another residual":                   {func(p *net.Program) { second(p, 2).Residual-- }, 2},
		"a first convolution's residual":     {func(p *net.Program) { p.Op(second(p, 2).X).Residual = 1 }, 2},
		"a first convolution's product":      {func(p *net.Program) { p.Op(second(p, 2).X).RowBias = second(p, 1).RowBias }, 2},
		"a product with a ReLU":              {func(p *net.Program) { p.Op(second(p, 3).RowBias).Activation = net.ReLU }, 1},
		"a product of a board":               {func(p *net.Program) { o := p.Op(second(p, 3).RowBias); o.X = p.Op(o.X).X }, 1},
		"means of another convolution":       {func(p *net.Program) { p.Op(p.Op(second(p, 3).RowBias).X).X = 1 }, 1},
	} {
		if got := count(c.change); got != c.want {
			t.Errorf("%s: there are %d blocks, want %d", what, got, c.want)
		}
	}
	// A stem with a residual, which the kernel does not have.
	stem := nettest.Lively(t, wide, 1)
	stem.Program.Op(1).Residual = 1
	if of := towerOf(compute.Info{Compute: 90}, tensor16, stem); of.Kernel != "tower64" {
		t.Errorf("the kernel is %s", of.Kernel)
	}
	// Products that come at unequal distances.
	n := nettest.Lively(t, wide, 1)
	all, _ := blocksOf(n.Program)
	if every, ok := all.every(); every != 2 || !ok {
		t.Errorf("every %d, %v", every, ok)
	}
	second(n.Program, 3).RowBias = net.None
	if of := towerOf(compute.Info{Compute: 90}, tensor16, n); of.Kernel != "" {
		t.Errorf("the kernel is %s", of.Kernel)
	}
}

// TestTowerPlan reads the plan of a network whose blocks are one launch: the weights unpack to the
// network's, and the memory of the blocks' results is not there.
func TestTowerPlan(t *testing.T) {
	n := nettest.Lively(t, wide, 1)
	tower, _ := hopper.TowerOf(64)
	plain, err := newPlan(n, build{form: tensor16})
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(n, build{form: tensor16, tower: tower})
	if err != nil {
		t.Fatal(err)
	}
	// Two convolutions a block, and a pooling and a product in two of them, are one launch.
	if got, want := len(p.steps), len(plain.steps)-2*5-2*2+1; got != want {
		t.Errorf("there are %d launches, want %d", got, want)
	}
	if bytes := p.perPosition(); bytes >= plain.perPosition() {
		t.Errorf("a position takes %d bytes", bytes)
	}
	at := slices.IndexFunc(p.steps, func(s step) bool { return s.boards == tower.Boards && s.parts == 1 })
	m := places(p)
	var call kernels.Tower
	for _, s := range p.steps {
		if c, ok := s.call(m).(kernels.Tower); ok {
			call = c
		}
	}
	if at < 0 || call.Blocks != 5 || call.Every != 2 || call.Boards != 24 || call.Local != compute.Local(tower.Shared()) || call.X != call.Y || call.Launch.Group != 384 {
		t.Fatalf("the call is %+v", call)
	}
	tensorOf := func(b compute.Buffer) []byte { return p.tensors[b.(place).at] }
	var biases, pools []byte
	for i := range 5 {
		names := []string{"blocks.%.conv1", "blocks.%.conv2", "blocks.%.pool"}
		get := func(k int, what string) []float32 {
			want := string(bytes.ReplaceAll([]byte(names[k]), []byte("%"), []byte{byte('0' + i)})) + what
			for _, p := range n.Params {
				if p.Name == want {
					return p.Data
				}
			}
			t.Fatalf("there is no %s", want)
			return nil
		}
		second := get(1, ".bias")
		if i%2 == 1 {
			second = sum(second, get(2, ".bias"))
			pools = append(pools, kernels.Form{Half: true}.Store(get(2, ".weight"))...)
		}
		biases = append(append(biases, kernels.Floats(get(0, ".bias"))...), kernels.Floats(second)...)
		for k := range 2 {
			weights := unpacked(tensorOf(call.Weights), 2*i+k)
			if want := halves.Store(get(k, ".weight")); !bytes.Equal(weights, want) {
				t.Fatalf("the weights of convolution %d of block %d are others", k, i)
			}
		}
	}
	if !bytes.Equal(biases, tensorOf(call.Biases)) || !bytes.Equal(pools, tensorOf(call.Pool)) {
		t.Error("the biases or the weights of products are others")
	}
}

// TestWholePlan reads the plan of a network of which one launch computes all but the heads.
func TestWholePlan(t *testing.T) {
	for _, channels := range []int{64, 256} {
		config := wide
		config.Channels, config.Blocks, config.PoolEvery = channels, 1, 0
		n := nettest.Lively(t, config, 1)
		of := towerOf(compute.Info{Compute: 90}, tensor16, n)
		p, err := newPlan(n, build{form: tensor16, tower: of})
		if err != nil {
			t.Fatal(err)
		}
		m := places(p)
		call, ok := p.steps[0].call(m).(kernels.Network)
		if !ok || call.Blocks != 1 || call.Every != 0 || call.Boards != 24 || call.Width != 16 || call.Positions != p.input.in(m) {
			t.Fatalf("the first call is %+v", call)
		}
		if got := p.activations[call.Y.(place).at]; got != 64*16*2 {
			t.Errorf("the first layers have %d bytes", got)
		}
		if got := p.activations[call.Scratch.(place).at]; channels == 256 && (got != 64*256*2 || call.Scratch == call.Y) {
			t.Errorf("the scratch memory has %d bytes", got)
		}
		first, err := n.FirstLayers()
		if err != nil {
			t.Fatal(err)
		}
		param := map[string][]float32{}
		for _, p := range n.Params {
			param[p.Name] = p.Data
		}
		weights := slices.Concat(of.PackStem(param["stem.weight"]), of.Pack(param["blocks.0.conv1.weight"]), of.Pack(param["blocks.0.conv2.weight"]), of.PackFirst(first.Weight))
		biases := slices.Concat(param["stem.bias"], param["blocks.0.conv1.bias"], param["blocks.0.conv2.bias"], param["policy.conv.bias"], param["value.conv.bias"], make([]float32, 64-12))
		if !bytes.Equal(p.tensors[call.Weights.(place).at], weights) || !bytes.Equal(p.tensors[call.Biases.(place).at], kernels.Floats(biases)) {
			t.Error("the weights or the biases are others")
		}
	}
}

// unpacked returns the weights of a convolution of 64 channels, [tap][in][out], from those of the
// tower, [convolution][16 inputs][rank][file][8 inputs][output][input].
func unpacked(packed []byte, convolution int) []byte {
	const bytes = 9 * 64 * 64 * 2
	packed = packed[convolution*bytes:][:bytes]
	w := make([]byte, bytes)
	at := 0
	for slice := range 4 {
		for rank := range 3 {
			for file := range 3 {
				for half := range 2 {
					for out := range 64 {
						for e := range 8 {
							to := ((rank*3+file)*64+slice*16+half*8+e)*64 + out
							copy(w[2*to:][:2], packed[at:][:2])
							at += 2
						}
					}
				}
			}
		}
	}
	return w
}

// place is memory that is only compared.
type place struct{ kind, at int }

func (place) Release() {}

// places is memory for 24 boards of a plan.
func places(p *plan) memory {
	m := memory{boards: 24}
	for i := range p.tensors {
		m.weights = append(m.weights, place{1, i})
	}
	for i := range p.activations {
		m.activations = append(m.activations, place{2, i})
	}
	return m
}
