package learn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"warren/net"
)

func TestAverage(t *testing.T) {
	params := []net.Param{{Name: "a.weight", Shape: []int{2}, Data: []float32{1, -1}}}
	a := NewAverage(0.9, params)
	want := []float64{1, -1}
	for step := range 200 {
		params[0].Data[0], params[0].Data[1] = float32(step), float32(-step)
		a.Step()
		keep := min(0.9, float64(1+step)/float64(10+step))
		for i := range want {
			want[i] = keep*want[i] + (1-keep)*float64(params[0].Data[i])
			if got := float64(a.weights[0].Data[i]); math.Abs(got-want[i]) > 1e-3 {
				t.Fatalf("after step %d the average is %g, want %g", step, got, want[i])
			}
		}
	}
	n := &net.Network{Params: []net.Param{{Name: "a.weight", Shape: []int{2}, Data: make([]float32, 2)}}}
	a.Into(n)
	for i, w := range want {
		if math.Abs(float64(n.Params[0].Data[i])-w) > 1e-3 || math.Abs(w) > 195 {
			t.Errorf("the average is %v, want %v", n.Params[0].Data, want)
		}
	}

	// A restored average continues bit for bit.
	state := a.State()
	for i := range state {
		state[i].Data = slices.Clone(state[i].Data)
	}
	again := NewAverage(0.9, params)
	if err := again.Restore(state); err != nil {
		t.Fatal(err)
	}
	a.Step()
	again.Step()
	if !slices.Equal(a.weights[0].Data, again.weights[0].Data) || a.steps != again.steps {
		t.Errorf("restored it continues with %v, uninterrupted with %v", again.weights[0].Data, a.weights[0].Data)
	}

	state[0].Data = state[0].Data[:1]
	if err := again.Restore(state); err == nil || !strings.Contains(err.Error(), "average.a.weight is missing or has the wrong size") {
		t.Errorf("a state that does not fit gave %v", err)
	}
	// A state without an average begins one at the current weights.
	if err := again.Restore(nil); err != nil || again.steps != 0 || again.weights[0].Data[0] != params[0].Data[0] {
		t.Errorf("without a state: %v, %v after %d steps", err, again.weights[0].Data, again.steps)
	}
}

func TestNoAverageCostsNothing(t *testing.T) {
	params := []net.Param{{Name: "a", Shape: []int{1}, Data: []float32{3}}}
	a := NewAverage(0, params)
	a.Step()
	n := &net.Network{Params: []net.Param{{Name: "a", Shape: []int{1}, Data: []float32{3}}}}
	a.Into(n)
	if a.State() != nil || a.weights != nil || n.Params[0].Data[0] != 3 {
		t.Errorf("%+v, network %v", a, n.Params)
	}
}
