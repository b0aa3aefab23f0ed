package cpu

import (
	"encoding/binary"
	"flag"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/gametest"
	"warren/internal/kernel"
	"warren/internal/kernel/quant"
	"warren/internal/nettest"
	"warren/internal/portable"
	"warren/net"
)

func intBackend(t testing.TB, n *net.Network) *Backend {
	t.Helper()
	b, err := newIntBackend(n, quant.On(kernel.Best()), kernel.Best())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestIntegersMatchReference(t *testing.T) {
	for i, c := range nettest.Configs {
		const batch = 3
		n := nettest.Lively(t, c, uint64(i))
		x := nettest.Inputs(uint64(i), batch)
		policy, value := make([]float32, batch*game.NumActions), make([]float32, batch)
		intBackend(t, n).NewPlan(batch).Forward(x, batch, policy, value)
		for i := range batch {
			outputs := nettest.Reference(n, &x[i])
			peak := 0.0
			for _, v := range outputs[0] {
				peak = max(peak, math.Abs(v))
			}
			for a, v := range outputs[0] {
				if got := float64(policy[i*game.NumActions+a]); !(math.Abs(got-v) <= 0.02*peak) {
					t.Fatalf("%v, position %d, logit %d: got %v, want %v (largest %v)", c, i, a, got, v, peak)
				}
			}
			if want := nettest.Chance(outputs[1][0]); !(math.Abs(float64(value[i])-want) <= 0.01) {
				t.Fatalf("%v, position %d: chance %v, want %v", c, i, value[i], want)
			}
		}
	}
}

// TestIntegersTakeOtherProducts: of products with rows, only those with pooled channels are in whole numbers.
func TestIntegersTakeOtherProducts(t *testing.T) {
	plain, longer := nettest.WithProducts(nettest.Lively(t, nettest.Everything, 1))
	const batch = 3
	x := nettest.Inputs(1, batch)
	var policy [2][]float32
	for i, n := range []*net.Network{plain, longer} {
		policy[i] = make([]float32, batch*game.NumActions)
		intBackend(t, n).NewPlan(batch).Forward(x, batch, policy[i])
	}
	peak := slices.Max(policy[0])
	for i, v := range policy[0] {
		if d := policy[1][i] - v; !(max(d, -d) <= 0.02*peak) {
			t.Fatalf("logit %d: got %v, want %v (largest %v)", i, policy[1][i], v, peak)
		}
	}
}

var outputs = flag.Int("outputs", 10, "positions of TestIntegersAreTheSameEverywhere, 10 or 500")

// TestIntegersAreTheSameEverywhere: all units and paths give the same bits, and they are those of this
// hash on every processor. The widest network is left out if the test is to be short.
//
//	go test -run TestIntegersAreTheSameEverywhere ./internal/eval/cpu -args -outputs 500
func TestIntegersAreTheSameEverywhere(t *testing.T) {
	wide := net.Config{Blocks: 10, Channels: 128, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64}
	untrained := nettest.New(t, wide, 1)
	r := rand.New(rand.NewPCG(1, 0x77617272656e))
	for i := range untrained.Program.Layers {
		weight, std := untrained.Weight(i), untrained.Program.Layers[i].Std
		for j := range weight {
			weight[j] = float32(std * portable.Normal(r)) // unlike those of net.New, the same everywhere
		}
	}
	networks := map[string]*net.Network{"10x128": untrained}
	for name, path := range map[string]string{"3x32": "stage-5", "6x64": "stage-11"} {
		n, _, err := net.Load("../../../docs/climb/" + path + ".safetensors")
		if err != nil {
			t.Fatal(err)
		}
		networks[name] = n
	}
	for name, want := range map[string]map[int]uint64{
		"3x32":   {10: 0x881de7cc713dbb5d, 500: 0x8874ef7ce22a2760},
		"6x64":   {10: 0x4ebb2646a337cb6a, 500: 0x920a8f4960593c26},
		"10x128": {10: 0x5622d5437d83ab8b, 500: 0x5fd5ed478d31e6e8},
	} {
		if name == "10x128" && testing.Short() {
			continue
		}
		_, x := archived(t, *outputs)
		units := quant.Units()
		if onTiles, err := quant.OnTiles(); err == nil {
			units = append(units, onTiles)
		}
		for _, unit := range units {
			for _, path := range kernel.Paths() {
				if name != "3x32" && !strings.HasPrefix(unit.Name(), path.Name) {
					continue
				}
				if got := hashOfOutputs(t, networks[name], unit, path, x); got != want[*outputs] {
					t.Errorf("%s on %s and %s: the hash is %#x, want %#x", name, unit.Name(), path.Name, got, want[*outputs])
				}
			}
		}
	}
}

// hashOfOutputs evaluates positions, 10 at a time.
func hashOfOutputs(t *testing.T, n *net.Network, unit *quant.Unit, path *kernel.Path, x []net.Bits) uint64 {
	t.Helper()
	b, err := newIntBackend(n, unit, path)
	if err != nil {
		t.Fatal(err)
	}
	const batch = 10
	h := fnv.New64()
	plan, policy, value := b.NewPlan(batch), make([]float32, batch*game.NumActions), make([]float32, batch)
	for ; len(x) > 0; x = x[batch:] {
		plan.Forward(x, batch, policy, value)
		for _, v := range append(policy, value...) {
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
		}
	}
	return h.Sum64()
}

func TestInt16IsChosen(t *testing.T) {
	n := nettest.Lively(t, nettest.Configs[0], 1)
	for name, open := range map[string]func() (*Backend, error){
		"by its path": func() (*Backend, error) { return NewPath(n, "int16") },
		"by the environment": func() (*Backend, error) {
			t.Setenv(kernel.Variable, "int16")
			return New(n)
		},
	} {
		b, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if a := b.Attributes(); a.Device != "cpu" || a.Path != "int16" || a.Precision != "int16" {
			t.Errorf("%s: attributes are %+v", name, a)
		}
	}
}

func TestIntegersAreBatchInvariant(t *testing.T) {
	c := net.Config{Blocks: 2, Channels: 24, PoolEvery: 2, PolicyChannels: 7, ValueChannels: 3, ValueHidden: 9}
	const batch = 5
	b, x := intBackend(t, nettest.Lively(t, c, 1)), nettest.Inputs(1, batch)
	policy, value := make([]float32, batch*game.NumActions), make([]float32, batch)
	b.NewPlan(batch).Forward(x, batch, policy, value)
	alone, one, chance := b.NewPlan(1), make([]float32, game.NumActions), make([]float32, 1)
	for i := range batch {
		alone.Forward(x[i:], 1, one, chance)
		if !slices.Equal(one, policy[i*game.NumActions:][:game.NumActions]) || chance[0] != value[i] {
			t.Errorf("position %d of %d alone is not what it is in the batch", i, batch)
		}
	}
}

func TestIntegersDoNotAllocate(t *testing.T) {
	c := net.Config{Blocks: 2, Channels: 16, PoolEvery: 1, PolicyChannels: 7, ValueChannels: 3, ValueHidden: 9}
	p, x := intBackend(t, nettest.Lively(t, c, 1)).NewPlan(3), nettest.Inputs(1, 3)
	policy, value := make([]float32, 3*game.NumActions), make([]float32, 3)
	if a := testing.AllocsPerRun(2, func() { p.Forward(x, 3, policy, value) }); a != 0 {
		t.Errorf("Forward allocates %v times", a)
	}
}

func TestIntegersRefuseBrokenNetworks(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), 3e38} {
		for _, name := range []string{"stem.bias", "blocks.0.conv1.weight", "blocks.1.conv2.bias"} {
			n := nettest.Lively(t, nettest.Configs[0], 1)
			n.Param(name).Data[3] = float32(v)
			if _, err := newIntBackend(n, quant.On(kernel.Best()), kernel.Best()); err == nil {
				t.Errorf("%s = %v is not refused", name, v)
			}
		}
	}
}

var positions = flag.Int("positions", 60, "positions of TestIntegersAreAccurate")

// archived returns positions of archived games, spread over all of them, and their encodings.
func archived(t *testing.T, n int) (games []game.Game, x []net.Bits) {
	const every = 17
	k := 0
	for _, m := range gametest.Archive(t) {
		g := game.New()
		for _, a := range m.Actions {
			if k++; k%every == 0 && !g.InSetup() {
				games = append(games, *g)
			}
			g.Play(a)
		}
	}
	if len(games) < n {
		t.Fatalf("there are only %d positions", len(games))
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
	games, x = games[:n], make([]net.Bits, n)
	for i := range games {
		net.EncodeBits(&games[i], &x[i])
	}
	return games, x
}

// TestIntegersAreAccurate compares a strong network's evaluations of positions of real games with those
// in fp32. A distance between policies is a Kullback-Leibler divergence, in nats.
//
//	go test -run TestIntegersAreAccurate -v ./internal/eval/cpu -args -positions 2000
func TestIntegersAreAccurate(t *testing.T) {
	n, _, err := net.Load("../../../docs/climb/stage-11.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	games, x := archived(t, *positions)
	floats, err := newFloats(n)
	if err != nil {
		t.Fatal(err)
	}
	var policy, value [2][]float32
	for k, b := range []*Backend{floats, intBackend(t, n)} {
		policy[k], value[k] = make([]float32, len(games)*game.NumActions), make([]float32, len(games))
		b.NewPlan(len(games)).Forward(x, len(games), policy[k], value[k])
	}
	distance, most, square, ofChance, same := 0.0, 0.0, 0.0, 0.0, 0
	for i := range games {
		legal := games[i].Legal(nil)
		shares := func(policy []float32) []float64 {
			p, sum := make([]float64, len(legal)), 0.0
			for j, a := range legal {
				p[j] = math.Exp(float64(policy[i*game.NumActions+net.PolicyIndex(a, games[i].Side())]))
				sum += p[j]
			}
			for j := range p {
				p[j] /= sum
			}
			return p
		}
		p, q := shares(policy[0]), shares(policy[1])
		kl := 0.0
		for j := range p {
			kl += p[j] * math.Log(p[j]/q[j])
		}
		distance += kl
		most = max(most, kl)
		d := float64(value[0][i] - value[1][i])
		square += d * d
		won, with := certain(value[0][i]), certain(value[1][i])
		ofChance += won*math.Log(won/with) + (1-won)*math.Log((1-won)/(1-with))
		if slices.Index(p, slices.Max(p)) == slices.Index(q, slices.Max(q)) {
			same++
		}
	}
	count := float64(len(games))
	distance /= count
	ofChance /= count
	deviation := math.Sqrt(square / count)
	t.Logf("%d positions: distance of the policies %.1e, largest %.1e; of the chances to win %.1e, deviation %.1e; the same best action in %d",
		len(games), distance, most, ofChance, deviation, same)
	if distance > 1e-4 || ofChance > 1e-4 || most > 5e-3 || deviation > 4e-3 {
		t.Error("the policies or the chances differ too much")
	}
}

// certain returns a chance that is neither 0 nor 1.
func certain(chance float32) float64 { return min(max(0x1p-24, float64(chance)), 1-0x1p-24) }

// TestActivationsHaveRoom counts the activations that are limited in positions of real games, which are
// not those that the formats were chosen by.
func TestActivationsHaveRoom(t *testing.T) {
	n, _, err := net.Load("../../../docs/climb/stage-11.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	games, x := archived(t, *positions)
	p := intBackend(t, n).NewPlan(1)
	trunk, b := p.weights.trunk, p.boards.(*intBoards)
	limited, all, peak := 0, 0, int16(0)
	for i := range games {
		b.input(x[i:], 1)
		for k := range trunk.steps {
			s := &trunk.steps[k]
			if s.run(b, 1); s.kind != net.Conv3x3 {
				continue
			}
			for _, q := range b.data[s.y] {
				peak = max(peak, q)
				if all++; q == quant.Top {
					limited++
					t.Log(i, k, games[i].Repetitions(), games[i].EndRepetitions())
				}
			}
		}
	}
	t.Logf("%d of %d activations are limited; the largest is %.2f of the limit", limited, all, float64(peak)/quant.Top)
	if limited > all/100_000 || peak < quant.Top/20 {
		t.Errorf("%d of %d activations are limited; the largest is %d", limited, all, peak)
	}
}

// TestSaturationIsCounted: a plan counts the positions, of one group in so many, that have a limited
// activation.
func TestSaturationIsCounted(t *testing.T) {
	b := intBackend(t, nettest.Lively(t, nettest.Configs[0], 1))
	const batch = 3
	p, policy := b.NewPlan(batch), make([]float32, batch*game.NumActions)
	x := nettest.Inputs(2, batch)
	for i := range x[1:] {
		for p := range x[1+i].Values {
			x[1+i].Values[p] *= 100
		}
	}
	for range lookedAt - 1 {
		p.Forward(x, batch, policy)
	}
	if looked, _ := b.Attributes().Saturation.Counts(); looked != 0 {
		t.Errorf("%d positions were looked at before their turn", looked)
	}
	p.Forward(x, batch, policy)
	if looked, limited := b.Attributes().Saturation.Counts(); looked != batch || limited != batch-1 {
		t.Errorf("%d of %d positions were limited, want %d of %d", limited, looked, batch-1, batch)
	}
	floats, err := newFloats(nettest.Lively(t, nettest.Configs[0], 1))
	if err != nil {
		t.Fatal(err)
	}
	if floats.Attributes().Saturation != nil {
		t.Error("fp32 has a limit")
	}
}
