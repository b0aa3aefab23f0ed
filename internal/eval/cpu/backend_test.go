package cpu

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/evaltest"
	"warren/internal/kernel"
	"warren/internal/nettest"
	"warren/net"
)

var random = evaltest.Random

// open returns a stream in fp32 of a back end of its own.
func open(t testing.TB, n *net.Network, batch int) eval.Stream {
	t.Helper()
	b, err := newFloats(n)
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.Open(batch)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStreamMatchesReference(t *testing.T) {
	n := nettest.Lively(t, nettest.Configs[2], 1)
	b := random(7)
	if err := eval.Evaluate(open(t, n, 3), b); err != nil { // 7 = 3 + 3 + 1
		t.Fatal(err)
	}
	var x net.Bits
	for i := range b.Len() {
		g := b.Position(i)
		net.EncodeBits(g, &x)
		outputs := nettest.Reference(n, &x)
		logits, chance := outputs[0], nettest.Chance(outputs[1][0])
		sum, priors := 0.0, 0.0
		for _, a := range b.Legal(i) {
			sum += math.Exp(logits[net.PolicyIndex(a, g.Side())])
		}
		for j, a := range b.Legal(i) {
			prior := float64(b.Priors(i)[j])
			priors += prior
			want := math.Exp(logits[net.PolicyIndex(a, g.Side())]) / sum
			if math.Abs(prior-want) > 1e-3*want {
				t.Fatalf("position %d: prior of action %d is %v, want %v", i, a, prior, want)
			}
		}
		if math.Abs(priors-1) > 1e-5 {
			t.Errorf("position %d: the priors sum to %v", i, priors)
		}
		if math.Abs(float64(b.Value(i))-chance) > 1e-4 {
			t.Errorf("position %d: value %v, want %v", i, b.Value(i), chance)
		}
	}
}

func TestStreamDoesNotDependOnTheBatch(t *testing.T) {
	n := nettest.Lively(t, nettest.Configs[0], 1)
	a, b := random(9), random(9)
	if err := eval.Evaluate(open(t, n, 1), a); err != nil {
		t.Fatal(err)
	}
	if err := eval.Evaluate(open(t, n, 9), b); err != nil {
		t.Fatal(err)
	}
	for i := range a.Len() {
		if a.Value(i) != b.Value(i) || !slices.Equal(a.Priors(i), b.Priors(i)) {
			t.Errorf("position %d: evaluations one by one and in a batch differ", i)
		}
	}
}

func TestStreamRefuses(t *testing.T) {
	s := open(t, nettest.Lively(t, nettest.Configs[0], 1), 2)
	for want, add := range map[string]func(*eval.Batch){
		"position 3 of 4: it is nil": func(b *eval.Batch) { b.Add(nil, nil) },
		"no action 300":              func(b *eval.Batch) { b.Add(game.New(), []game.Action{300}) },
	} {
		b := random(3)
		add(b)
		if err := eval.Evaluate(s, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	if err := eval.Evaluate(s, new(eval.Batch)); err != nil {
		t.Errorf("evaluating nothing: %v", err)
	}
	if err := eval.Evaluate(s, random(3)); err != nil {
		t.Errorf("after the errors: %v", err)
	}
}

func TestStreamNoticesBrokenNetworks(t *testing.T) {
	for _, name := range []string{"policy.step.bias", "policy.other.bias", "value.out.bias", "stopped.out.bias"} {
		for _, v := range []float64{math.NaN(), math.Inf(1)} {
			if strings.HasSuffix(name, ".out.bias") && math.IsInf(v, 1) {
				continue // a certain win or stop, if an unlikely one
			}
			c := nettest.Configs[0]
			c.Auxiliary = "stopped"
			n := nettest.Lively(t, c, 1)
			for i := range n.Param(name).Data {
				n.Param(name).Data[i] = float32(v)
			}
			if err := eval.Evaluate(open(t, n, 2), random(6)); err == nil || !strings.Contains(err.Error(), "not a number") {
				t.Errorf("%s = %v: got error %v", name, v, err)
			}
		}
	}
}

// TestForcedPathIsTaken: networks in fp32 run on the path that the environment names, else on the fastest.
// The choice is made once in a process, so other processes of this test make the other choices.
func TestForcedPathIsTaken(t *testing.T) {
	forced := kernel.Forced()
	want := forced
	if forced == "" || forced == kernel.AMX || forced == kernel.Int16 {
		want = kernel.Best().Name
	}
	b, err := newFloats(nettest.Lively(t, nettest.Configs[0], 1))
	if err != nil {
		t.Fatal(err)
	}
	if path := b.Attributes().Path; path != want {
		t.Fatalf("%s=%s: the path is %s, want %s", kernel.Variable, forced, path, want)
	}
	if forced != "" {
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Skipf("only the fastest path is tested here: %v", err)
	}
	for _, p := range kernel.Paths()[1:] {
		other := exec.Command(program, "-test.run=^TestForcedPathIsTaken$")
		other.Env = append(os.Environ(), kernel.Variable+"="+p.Name)
		output, err := other.CombinedOutput()
		if err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Skipf("only the fastest path is tested here: %v", err) // an emulator may start no process
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", p.Name, err, output)
		}
	}
}

func TestStreamDoesNotAllocate(t *testing.T) {
	s, b := open(t, nettest.Lively(t, nettest.Configs[0], 1), 2), random(5)
	if a := testing.AllocsPerRun(5, func() {
		if err := eval.Evaluate(s, b); err != nil {
			t.Error(err)
		}
	}); a != 0 {
		t.Errorf("an evaluation allocates %v times", a)
	}
}
