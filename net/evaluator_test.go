package net

import (
	"math"
	"slices"
	"strings"
	"testing"

	"warren/game"
)

// request is the arguments of one Evaluate.
type request struct {
	positions []*game.Game
	legal     [][]game.Action
	priors    [][]float32
	values    []float32
}

// random is a request of n unfinished random positions.
func random(n int) (q request) {
	for seed := uint64(0); len(q.positions) < n; seed++ {
		g := played(seed, int(seed*37%190))
		legal := g.Legal(nil)
		if len(legal) == 0 {
			continue
		}
		q.positions = append(q.positions, g)
		q.legal = append(q.legal, legal)
		q.priors = append(q.priors, make([]float32, len(legal)))
		q.values = append(q.values, -1)
	}
	return q
}

func (q request) run(e *Evaluator) error {
	return e.Evaluate(q.positions, q.legal, q.priors, q.values)
}

func TestEvaluatorMatchesReference(t *testing.T) {
	n := lively(t, testConfigs[2], 1)
	q := random(7)
	if err := q.run(NewEvaluator(n, 3)); err != nil { // 7 = 3 + 3 + 1
		t.Fatal(err)
	}
	x := make([]float32, InputSize)
	for i, g := range q.positions {
		Encode(g, x)
		logits, chance := reference(n, x)
		sum, priors := 0.0, 0.0
		for _, a := range q.legal[i] {
			sum += math.Exp(logits[PolicyIndex(a, g.Side())])
		}
		for j, a := range q.legal[i] {
			priors += float64(q.priors[i][j])
			want := math.Exp(logits[PolicyIndex(a, g.Side())]) / sum
			if math.Abs(float64(q.priors[i][j])-want) > 1e-3*want {
				t.Fatalf("position %d: prior of action %d is %v, want %v", i, a, q.priors[i][j], want)
			}
		}
		if math.Abs(priors-1) > 1e-5 {
			t.Errorf("position %d: the priors sum to %v", i, priors)
		}
		if math.Abs(float64(q.values[i])-chance) > 1e-4 {
			t.Errorf("position %d: value %v, want %v", i, q.values[i], chance)
		}
	}
}

func TestEvaluatorDoesNotDependOnTheBatch(t *testing.T) {
	n := lively(t, testConfigs[0], 1)
	a, b := random(9), random(9)
	if err := a.run(NewEvaluator(n, 1)); err != nil {
		t.Fatal(err)
	}
	if err := b.run(NewEvaluator(n, 9)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.values, b.values) || !slices.EqualFunc(a.priors, b.priors, slices.Equal[[]float32]) {
		t.Error("evaluations one by one and in a batch differ")
	}
}

func TestEvaluatorErrors(t *testing.T) {
	e := NewEvaluator(lively(t, testConfigs[0], 1), 2)
	for want, change := range map[string]func(*request){
		"2 lists of legal actions": func(q *request) { q.legal = q.legal[:2] },
		"1 of priors":              func(q *request) { q.priors = q.priors[:1] },
		"4 values":                 func(q *request) { q.values = make([]float32, 4) },
		"position 2 of 3: it is nil": func(q *request) {
			q.positions[2] = nil
		},
		"room for 1 priors":  func(q *request) { q.priors[1] = q.priors[1][:1] },
		"no action 300":      func(q *request) { q.legal[1] = []game.Action{300}; q.priors[1] = q.priors[1][:1] },
		"position 1 of 3: 0": func(q *request) { q.legal[1] = nil },
	} {
		q := random(3)
		change(&q)
		if err := q.run(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	if err := (request{}).run(e); err != nil {
		t.Errorf("evaluating nothing: %v", err)
	}
}

func TestEvaluatorNoticesBrokenNetworks(t *testing.T) {
	for _, name := range []string{"policy.step.bias", "policy.other.bias", "value.out.bias"} {
		for _, v := range []float64{math.NaN(), math.Inf(1)} {
			if name == "value.out.bias" && math.IsInf(v, 1) {
				continue // a certain win, if an unlikely one
			}
			n := lively(t, testConfigs[0], 1)
			for i := range n.Param(name).Data {
				n.Param(name).Data[i] = float32(v)
			}
			q := random(6)
			if err := q.run(NewEvaluator(n, 2)); err == nil || !strings.Contains(err.Error(), "not a number") {
				t.Errorf("%s = %v: got error %v", name, v, err)
			}
		}
	}
}

func TestSoftmaxIsSafe(t *testing.T) {
	logits := make([]float32, game.NumActions)
	for i := range logits {
		logits[i] = float32(math.Inf(1)) // illegal actions play no part
	}
	legal := []game.Action{5, 70, game.Pass}
	priors := make([]float32, 3)
	for _, l := range [][]float32{{1e38, -1e38, 0}, {-3e38, -3e38, -3e38}, {1000, 1000, 999}, {0, 0, 0}} {
		for i, a := range legal {
			logits[a] = l[i]
		}
		if !softmax(priors, logits, legal, game.Gold) {
			t.Errorf("softmax of %v fails", l)
		}
		if sum := priors[0] + priors[1] + priors[2]; !(math.Abs(float64(sum)-1) < 1e-6) {
			t.Errorf("softmax of %v is %v", l, priors)
		}
		if l[0] > l[1] != (priors[0] > priors[1]) {
			t.Errorf("softmax of %v is %v", l, priors)
		}
	}
}

func TestEvaluatorDoesNotAllocate(t *testing.T) {
	e := NewEvaluator(lively(t, testConfigs[0], 1), 2)
	q := random(5)
	if a := testing.AllocsPerRun(5, func() {
		if err := q.run(e); err != nil {
			t.Error(err)
		}
	}); a != 0 {
		t.Errorf("Evaluate allocates %v times", a)
	}
}

func BenchmarkEvaluator(b *testing.B) {
	n, err := New(Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 16, ValueChannels: 4, ValueHidden: 32}, 1)
	if err != nil {
		b.Fatal(err)
	}
	e, q := NewEvaluator(n, 16), random(16)
	for b.Loop() {
		if err := q.run(e); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(16*b.N)/b.Elapsed().Seconds(), "evals/s")
}
