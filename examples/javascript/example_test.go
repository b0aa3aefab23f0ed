// Package javascript contains the test of the JavaScript example in this directory.
package javascript

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/eval/cpu"
	"warren/internal/nettest"
	"warren/net"
	"warren/net/bundled"
	"warren/net/onnx"
)

// positions returns positions at the beginnings of turns in random games, in which pushes,
// pulls, frozen pieces and captures occur.
func positions(count int) []string {
	rng := rand.New(rand.NewPCG(11, 7))
	var found []string
	for len(found) < count {
		g := game.New()
		for !g.Result().Over() && g.Turns() < 80 {
			if g.StepsLeft() == 4 && rng.IntN(12) == 0 {
				found = append(found, game.FormatPosition(g.Board(), g.Side()))
			}
			legal := g.Legal(nil)
			g.Play(legal[rng.IntN(len(legal))])
		}
	}
	return found[:count]
}

type decision struct {
	Planes []byte
	Policy []byte
	Value  float32
	Action int
}

func floats(t *testing.T, b []byte) []float32 {
	t.Helper()
	x := make([]float32, len(b)/4)
	if err := binary.Read(bytes.NewReader(b), binary.LittleEndian, x); err != nil {
		t.Fatal(err)
	}
	return x
}

// node returns the path of Node.js. It skips the test if Node.js or the module is not
// installed.
func node(t *testing.T, module string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed")
	}
	if _, err := os.Stat(filepath.Join("node_modules", module)); err != nil {
		t.Skipf("the module %s is not installed: run npm ci --ignore-scripts in examples/javascript", module)
	}
	return node
}

// lively returns a network with larger weights than a new network, so that every input
// affects the outputs.
func lively(t *testing.T) *net.Network {
	t.Helper()
	n := nettest.New(t, net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 2, ValueHidden: 8}, 3)
	rng := rand.New(rand.NewPCG(3, 3))
	for _, p := range n.Params {
		for i := range p.Data {
			p.Data[i] = 2*p.Data[i] + float32(0.1*rng.NormFloat64())
		}
	}
	return n
}

// TestExampleRereadsCheckpoints opens a checkpoint with another implementation of
// safetensors, which writes it to a new file. The new file must contain the same network,
// bit for bit.
func TestExampleRereadsCheckpoints(t *testing.T) {
	node := node(t, "@huggingface/hub")
	n := lively(t)
	dir := t.TempDir()
	path, again := filepath.Join(dir, "network.safetensors"), filepath.Join(dir, "again.safetensors")
	nettest.Save(t, path, n, map[string]string{"run": "a \"quoted\"\nrun é"})
	if out, err := exec.Command(node, "reread.js", path, again).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	back, meta, err := net.Load(again)
	if err != nil {
		t.Fatal(err)
	}
	if back.Hash() != n.Hash() || len(meta) != 0 {
		t.Errorf("another network came back, with the metadata %v", meta)
	}
}

// TestReadmeShowsWhatIsPrinted carries out the command of the README with the bundled network.
func TestReadmeShowsWhatIsPrinted(t *testing.T) {
	node := node(t, "onnxruntime-node")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(readme), `node play.js network.onnx "`)
	position, _, _ := strings.Cut(after, `"`)
	n, _, err := bundled.Checkpoint(bundled.Name)
	if err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(t.TempDir(), "network.onnx")
	if err := onnx.Save(model, n, nil); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, "play.js", model, position).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !strings.Contains(string(readme), "```\n"+string(out)+"```\n") {
		t.Errorf("README.md does not have what the program prints for the position %q:\n%s", position, out)
	}
}

// TestExampleSeesAndPlaysAsWeDo lets the example play a turn in each of many positions. In
// every state, its planes must equal ours bit for bit, and the outputs of the network must
// equal ours apart from rounding. The turn must be legal, and each action must be the most
// probable legal one.
func TestExampleSeesAndPlaysAsWeDo(t *testing.T) {
	node := node(t, "onnxruntime-node")
	n := lively(t)
	model := filepath.Join(t.TempDir(), "network.onnx")
	if err := onnx.Save(model, n, nil); err != nil {
		t.Fatal(err)
	}
	asked := positions(200)
	command := exec.Command(node, "play.js", "--json", model)
	command.Stdin = strings.NewReader(strings.Join(asked, "\n"))
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	answers := json.NewDecoder(bytes.NewReader(out))
	backend, err := cpu.New(n)
	if err != nil {
		t.Fatal(err)
	}
	plan := backend.NewPlan(1)
	encoded, x := make([]net.Bits, 1), make([]float32, net.InputSize)
	policy, value := make([]float32, game.NumActions), []float32{0}
	seen := map[string]int{}
	for _, position := range asked {
		var answer struct {
			Turn      string
			Decisions []decision
		}
		if err := answers.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		board, side, err := game.ParsePosition(position)
		if err != nil {
			t.Fatal(err)
		}
		g := game.FromBoard(board, side)
		turn, err := game.ParseTurn(g, answer.Turn)
		if err != nil {
			t.Fatalf("in %s it plays %q: %v", position, answer.Turn, err)
		}
		if len(turn) != len(answer.Decisions) {
			t.Fatalf("in %s it makes %d decisions to play %q", position, len(answer.Decisions), answer.Turn)
		}
		for i, d := range answer.Decisions {
			note(seen, g)
			net.EncodeBits(g, &encoded[0])
			encoded[0].Expand(x)
			if theirs := floats(t, d.Planes); !slices.Equal(theirs, x) {
				t.Fatalf("in %s, before action %d of %q: %s", position, i+1, answer.Turn, difference(theirs, x))
			}
			plan.Forward(encoded, 1, policy, value)
			for a, theirs := range floats(t, d.Policy) {
				if !near(theirs, policy[a]) {
					t.Fatalf("in %s: logit %d is %v, ours %v", position, a, theirs, policy[a])
				}
			}
			if !near(d.Value, value[0]) {
				t.Fatalf("in %s: the value is %v, ours %v", position, d.Value, value[0])
			}
			if d.Action != net.PolicyIndex(turn[i], g.Side()) {
				t.Fatalf("in %s: the index %d is not that of the action %v", position, d.Action, turn[i])
			}
			for _, a := range g.Legal(nil) {
				if better := policy[net.PolicyIndex(a, g.Side())]; better > policy[d.Action]+1e-3 {
					t.Fatalf("in %s: the legal action %d is more probable", position, a)
				}
			}
			g.Play(turn[i])
		}
	}
	for _, what := range []string{"silver", "push", "pull", "frozen", "pass"} {
		if seen[what] == 0 {
			t.Errorf("no position has %s", what)
		}
	}
	t.Log(seen)
}

// note counts the features of a state.
func note(seen map[string]int, g *game.Game) {
	seen["states"]++
	seen[g.Side().String()]++
	if _, _, ok := g.Push(); ok {
		seen["push"]++
	}
	if _, _, ok := g.Pull(); ok {
		seen["pull"]++
	}
	if g.Board().Frozen(g.Side()) != 0 {
		seen["frozen"]++
	}
	if slices.Contains(g.Legal(nil), game.Pass) {
		seen["pass"]++
	}
}

func near(a, b float32) bool {
	return math.Abs(float64(a)-float64(b)) <= 1e-4*max(1, math.Abs(float64(b)))
}

func difference(theirs, ours []float32) string {
	planes := net.Planes()
	for i := range min(len(theirs), len(ours)) {
		if theirs[i] != ours[i] {
			square := game.Square(i / net.NumPlanes)
			return planes[i%net.NumPlanes].Name + " differs on " + square.String() + " of the mover's frame"
		}
	}
	return "another number of planes"
}
