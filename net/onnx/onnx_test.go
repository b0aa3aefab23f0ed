package onnx

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/eval/cpu"
	"warren/internal/nettest"
	"warren/net"
)

var update = flag.Bool("update", false, "rewrite testdata/structure.txt")

var configs = []net.Config{
	{Blocks: 3, Channels: 16, PoolEvery: 2, PolicyChannels: 5, ValueChannels: 3, ValueHidden: 7},
	{Blocks: 2, Channels: 24, PoolEvery: 1, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16},
	{Blocks: 2, Channels: 8, PoolEvery: 0, PolicyChannels: 1, ValueChannels: 2, ValueHidden: 3},
	nettest.Everything,
}

// positions encodes states of random games, including Silver's turns and setups.
func positions(seed uint64, count int) []net.Bits {
	r := rand.New(rand.NewPCG(seed, 3))
	x := make([]net.Bits, count)
	var legal []game.Action
	for i := range count {
		g := game.New()
		for range 4 + r.IntN(300) {
			next := g.Clone()
			if legal = g.Legal(legal[:0]); len(legal) == 0 {
				break
			}
			next.Play(legal[r.IntN(len(legal))])
			g = next
		}
		net.EncodeBits(g, &x[i])
	}
	return x
}

// inputOf returns positions as the input of a model.
func inputOf(positions []net.Bits) value {
	in := zeros(len(positions), 8, 8, net.NumPlanes)
	x := make([]float32, net.InputSize)
	for i := range positions {
		positions[i].Expand(x)
		for j, v := range x {
			in.data[i*net.InputSize+j] = float64(v)
		}
	}
	return in
}

func TestModelComputesTheNetwork(t *testing.T) {
	for i, c := range configs {
		for _, batch := range []int{1, 3, 5} {
			t.Run(fmt.Sprintf("%+v/batch=%d", c, batch), func(t *testing.T) {
				n := nettest.Lively(t, c, uint64(i)+3)
				b, err := Build(n, nil)
				if err != nil {
					t.Fatal(err)
				}
				x := positions(uint64(7*i+batch), batch)
				policy, chance := make([]float32, batch*game.NumActions), make([]float32, batch)
				back, err := cpu.New(n)
				if err != nil {
					t.Fatal(err)
				}
				back.NewPlan(batch).Forward(x, batch, policy, chance)

				out := readModel(t, b).run(t, map[string]value{"planes": inputOf(x)})
				compare(t, "policy", out["policy"], []int{batch, game.NumActions}, policy)
				compare(t, "value", out["value"], []int{batch, 1}, chance)
				for k, h := range c.Heads()[2:] {
					var want []float32
					for j := range batch {
						want = append(want, meant(h, nettest.Reference(n, &x[j])[2+k])...)
					}
					compare(t, h.Name, out[h.Name], []int{batch, h.Size}, want)
				}
			})
		}
	}
}

// meant converts a head's logits to its documented output.
func meant(h net.Head, logits []float64) []float32 {
	total := 0.0
	for _, l := range logits {
		total += math.Exp(l)
	}
	out := make([]float32, len(logits))
	for i, l := range logits {
		switch h.Activation {
		case net.Softmax:
			out[i] = float32(math.Exp(l) / total)
		case net.Logistic:
			out[i] = float32(nettest.Chance(l))
		default:
			out[i] = float32(l)
		}
	}
	return out
}

// compare checks that got equals want within 1e-4, and that want is not trivial.
func compare(t *testing.T, name string, got value, shape []int, want []float32) {
	t.Helper()
	if !slices.Equal(got.shape, shape) {
		t.Fatalf("%s has shape %v, want %v", name, got.shape, shape)
	}
	if spread := slices.Max(want) - slices.Min(want); len(want) > 1 && spread < 1e-3 {
		t.Fatalf("%s spreads over only %v: the test would show nothing", name, spread)
	}
	for i, v := range want {
		if !(math.Abs(got.data[i]-float64(v)) <= 1e-4) {
			t.Fatalf("%s %d: the model gives %v, the plan %v", name, i, got.data[i], v)
		}
	}
}

func TestStructure(t *testing.T) {
	n := nettest.Lively(t, configs[0], 1)
	b, err := Build(n, map[string]string{"run": "quick", "generation": "7"})
	if err != nil {
		t.Fatal(err)
	}
	m := readModel(t, b)
	var s strings.Builder
	fmt.Fprintf(&s, "ir %d, operators %d, producer %q, graph %q\n%s\n", m.ir, m.opset, m.producer, m.name, m.doc)
	for _, key := range slices.Sorted(maps.Keys(m.meta)) {
		if key != "hash" {
			fmt.Fprintf(&s, "meta %s = %s\n", key, m.meta[key])
		}
	}
	for _, p := range m.inputs {
		fmt.Fprintf(&s, "input %s %v of type %d\n", p.name, p.shape, p.elem)
	}
	for _, p := range m.outputs {
		fmt.Fprintf(&s, "output %s %v of type %d\n", p.name, p.shape, p.elem)
	}
	for _, o := range m.nodes {
		if !slices.Equal(o.outputs, []string{o.name}) {
			t.Errorf("the node %q has outputs %q", o.name, o.outputs)
		}
		fmt.Fprintf(&s, "%s = %s(%s)", o.name, o.operator, strings.Join(o.inputs, ", "))
		for _, a := range slices.Sorted(maps.Keys(o.ints)) {
			fmt.Fprintf(&s, " %s=%v", a, o.ints[a])
		}
		s.WriteByte('\n')
	}
	for _, w := range m.weights {
		fmt.Fprintf(&s, "%s %v %s\n", w.name, w.shape, w.doc)
	}

	golden := filepath.Join("testdata", "structure.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(s.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, lines := strings.Split(s.String(), "\n"), strings.Split(strings.ReplaceAll(string(want), "\r\n", "\n"), "\n")
	for i := range max(len(got), len(lines)) {
		if i >= len(got) || i >= len(lines) || got[i] != lines[i] {
			t.Fatalf("%s, line %d differs; if that is meant, go test -update\ngot  %q\nwant %q", golden, i+1, at(got, i), at(lines, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(no such line)"
}

func TestEveryParameterIsInTheModel(t *testing.T) {
	for i, c := range configs {
		n := nettest.Lively(t, c, uint64(i)+3)
		b, err := Build(n, nil)
		if err != nil {
			t.Fatal(err)
		}
		weights := map[string]array{}
		for _, w := range readModel(t, b).weights {
			weights[w.name] = w
		}
		if len(weights) != len(n.Params) {
			t.Errorf("%v: %d weights of %d parameters", c, len(weights), len(n.Params))
		}
		for _, p := range n.Params {
			// The order differs, the values are the same.
			if got, want := slices.Sorted(slices.Values(weights[p.Name].data)), slices.Sorted(slices.Values(p.Data)); !slices.Equal(got, want) {
				t.Errorf("%v: the numbers of %s are not the network's", c, p.Name)
			}
		}
	}
}

func TestModelExplainsItself(t *testing.T) {
	n := nettest.Lively(t, configs[0], 1)
	meta := map[string]string{"run": "quick", "generation": "7", "samples": "123"}
	b, err := Build(n, meta)
	if err != nil {
		t.Fatal(err)
	}
	m := readModel(t, b)
	for key, want := range map[string]string{"run": "quick", "generation": "7", "samples": "123", "hash": n.Hash()} {
		if m.meta[key] != want {
			t.Errorf("metadata %q is %q, want %q", key, m.meta[key], want)
		}
	}
	var c net.Config
	if err := json.Unmarshal([]byte(m.meta["architecture"]), &c); err != nil || c != n.Config {
		t.Errorf("the architecture reads %+v (%v), want %+v", c, err, n.Config)
	}
	for _, p := range slices.Concat(m.inputs, m.outputs) {
		if !strings.Contains(p.doc, "[batch]") {
			t.Errorf("%s is not documented: %q", p.name, p.doc)
		}
	}
	again, err := Build(n, maps.Clone(meta))
	if err != nil || !bytes.Equal(b, again) {
		t.Errorf("built twice, the model differs (%v)", err)
	}
	if len(meta) != 3 {
		t.Errorf("the caller's metadata were changed: %v", meta)
	}
}

// The input's documentation gives planes by number. Some that can be told apart
// are checked against what Encode writes.
func TestPlanesAreAsDocumented(t *testing.T) {
	g := game.New()
	x := make([]float32, net.InputSize)
	plane := func(square game.Square, plane int) float32 { return x[int(square)*net.NumPlanes+plane] }
	net.Encode(g, x)
	if plane(9, 26) != 1 || plane(0, 27) != 1 || plane(1, 27) != 0 || plane(40, 28) != 1 || plane(40, 33) != 1 {
		t.Error("planes 26 to 33 are not those of the setup")
	}
	if plane(18, 34) != 1 || plane(19, 34) != 0 || plane(63, 35) != 1 || plane(63, 36) != 0 {
		t.Error("planes 34 and 35 are not traps and ones")
	}

	var board game.Board
	board.Put(0, game.Gold, game.Elephant)
	board.Put(16, game.Gold, game.Rabbit)
	board.Put(24, game.Silver, game.Cat) // freezes the rabbit
	board.Put(63, game.Silver, game.Rabbit)
	g = game.FromBoard(board, game.Gold)
	net.Encode(g, x)
	if plane(0, 5) != 1 || plane(24, 7) != 1 || plane(63, 6) != 1 || plane(16, 12) != 1 || plane(24, 13) != 0 || plane(5, 17) != 1 {
		t.Error("planes 0 to 17 are not pieces, frozen pieces and steps left")
	}
	g.Play(game.StepAction(0, game.North))
	net.Encode(g, x)
	if plane(5, 16) != 1 || plane(5, 17) != 0 || plane(0, 22) != 1 || plane(8, 22) != 1 || plane(16, 22) != 0 {
		t.Error("planes 14 to 22 are not steps left and changed squares")
	}
}

func TestSave(t *testing.T) {
	n := nettest.Lively(t, configs[2], 1)
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := Save(path, n, nil); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Build(n, nil)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file is not what Build makes (%v)", err)
	}
	if other, err := Build(n, map[string]string{"hash": "of another network", "architecture": "another"}); err != nil || !bytes.Equal(other, want) {
		t.Errorf("metadata hide the hash (%v)", err)
	}
}

// What a head learns by is not part of the model.
func TestLossChangesNoModel(t *testing.T) {
	n := nettest.Lively(t, nettest.Everything, 1)
	model, err := Build(n, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Build(nettest.WithOtherLosses(n), nil)
	if err != nil || !bytes.Equal(model, other) {
		t.Errorf("with other losses the model is different (%v)", err)
	}
}

// It does not matter for the outputs how many products compute them.
func TestModelOfLongerProgram(t *testing.T) {
	plain, longer := nettest.WithProducts(nettest.Lively(t, nettest.Everything, 1))
	in := inputOf(positions(1, 2))
	outputs := func(n *net.Network) map[string]value {
		b, err := Build(n, nil)
		if err != nil {
			t.Fatal(err)
		}
		return readModel(t, b).run(t, map[string]value{"planes": in})
	}
	if want, got := outputs(plain), outputs(longer); !reflect.DeepEqual(got, want) {
		t.Error("with more products the outputs are different")
	}
}

// TestRefusesOperations changes a network's operations to some that the model's operators do not
// compute.
func TestRefusesOperations(t *testing.T) {
	pool := func(o *net.Op) bool { return o.Kind == net.Pool }
	dense := func(o *net.Op) bool { return o.Kind == net.Dense }
	for name, c := range map[string]struct {
		is     func(o *net.Op) bool
		change func(o *net.Op)
	}{
		"pooling with a ReLU":     {pool, func(o *net.Op) { o.Activation = net.ReLU }},
		"pooling with a residual": {pool, func(o *net.Op) { o.Residual = o.X }},
		"another activation":      {dense, func(o *net.Op) { o.Activation = net.Logistic }},
		"another kind":            {dense, func(o *net.Op) { o.Kind = net.Dense + 1 }},
	} {
		n := nettest.Lively(t, configs[len(configs)-1], 1)
		at := slices.IndexFunc(n.Program.Ops, func(o net.Op) bool { return c.is(&o) })
		c.change(&n.Program.Ops[at])
		if _, err := Build(n, nil); err == nil || !strings.HasPrefix(err.Error(), "the model has no operator for operation ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
