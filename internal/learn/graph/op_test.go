package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"warren/internal/kernel"
	"warren/internal/learn/gradient"
)

// layout reorders a tensor of four dimensions: dimension i of the result is
// dimension axes[i] of data.
func layout(data []float32, shape, axes [4]int) []float32 {
	var strides, out [4]int
	step := 1
	for i := 3; i >= 0; i-- {
		strides[i] = step
		step *= shape[i]
	}
	for i, a := range axes {
		out[i] = shape[a]
	}
	res := make([]float32, 0, len(data))
	for i := range out[0] {
		for j := range out[1] {
			for k := range out[2] {
				for l := range out[3] {
					res = append(res, data[i*strides[axes[0]]+j*strides[axes[1]]+k*strides[axes[2]]+l*strides[axes[3]]])
				}
			}
		}
	}
	return res
}

func noise(r *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(scale * r.NormFloat64())
	}
	return x
}

// differentiate computes y and the gradients of sum(y*slope) with respect to the
// given nodes.
func differentiate(t *testing.T, g *G.ExprGraph, y *G.Node, slope []float32, by ...*G.Node) [][]float32 {
	t.Helper()
	must := func(n *G.Node, err error) *G.Node {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	s := G.NewTensor(g, G.Float32, y.Dims(), G.WithShape(y.Shape()...), G.WithName("slope"),
		G.WithValue(tensor.New(tensor.WithShape(y.Shape()...), tensor.WithBacking(slope))))
	total := must(G.Sum(must(G.HadamardProd(y, s))))
	grads, err := G.Grad(total, by...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]G.Value, 1+len(grads))
	G.Read(y, &values[0])
	for i, n := range grads {
		G.Read(n, &values[i+1])
	}
	vm := G.NewTapeMachine(g)
	defer vm.Close()
	if err := vm.RunAll(); err != nil {
		t.Fatal(err)
	}
	var data [][]float32
	for _, v := range values {
		data = append(data, v.Data().([]float32))
	}
	return data
}

// Our convolution agrees with Gorgonia's own, forward and backward, through a
// residual connection.
func TestConvAgainstGorgonia(t *testing.T) {
	for _, channels := range []int{8, 16, 40, 64} {
		for _, path := range kernel.Paths() {
			t.Run(fmt.Sprint(path.Name, channels), func(t *testing.T) { testConvAgainstGorgonia(t, path, channels) })
		}
	}
}

func testConvAgainstGorgonia(t *testing.T, path *kernel.Path, c int) {
	const boards = 3
	r := rand.New(rand.NewPCG(1, 1))
	x, w, bias := noise(r, boards*64*c, 1), noise(r, 9*c*c, 0.2), noise(r, c, 0.5)
	slope := noise(r, boards*64*c, 1)
	nhwc, hwio := [4]int{boards, 8, 8, c}, [4]int{3, 3, c, c}

	// If a sum is almost zero, rounding decides whether a gradient passes.
	before := make([]float32, len(x))
	gradient.NewConv(path, boards, c, c, gradient.NewWorkers(1), new(gradient.Space)).Forward(x, w, bias, nil, x, before)
	for i, v := range before {
		if v < 1e-3 {
			slope[i] = 0
		}
	}

	b := &builder{path: path, graph: G.NewGraph(), boards: boards, workers: gradient.NewWorkers(2), space: new(gradient.Space)}
	ourX, ourW, ourBias := b.input("x", boards*64, c, x), b.input("w", 9*c, c, w), b.input("bias", 1, c, bias)
	y, err := b.conv("conv", convInputs{x: ourX, weight: ourW, bias: ourBias, residual: ourX}, false)
	if err != nil {
		t.Fatal(err)
	}
	ours := differentiate(t, b.graph, y, slope, ourX, ourW, ourBias)

	g := G.NewGraph()
	node := func(name string, data []float32, shape ...int) *G.Node {
		return G.NewTensor(g, G.Float32, 4, G.WithShape(shape...), G.WithName(name),
			G.WithValue(tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))))
	}
	theirX := node("x", layout(x, nhwc, [4]int{0, 3, 1, 2}), boards, c, 8, 8)
	theirW := node("w", layout(w, hwio, [4]int{3, 2, 0, 1}), c, c, 3, 3)
	theirBias := node("bias", bias, 1, c, 1, 1)
	conv, err := G.Conv2d(theirX, theirW, tensor.Shape{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := G.BroadcastAdd(conv, theirBias, nil, []byte{0, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	if sum, err = G.Add(sum, theirX); err != nil {
		t.Fatal(err)
	}
	relu, err := G.Rectify(sum)
	if err != nil {
		t.Fatal(err)
	}
	theirs := differentiate(t, g, relu, layout(slope, nhwc, [4]int{0, 3, 1, 2}), theirX, theirW, theirBias)

	nchw, oihw := [4]int{boards, c, 8, 8}, [4]int{c, c, 3, 3}
	for i, want := range [][]float32{
		layout(theirs[0], nchw, [4]int{0, 2, 3, 1}),
		layout(theirs[1], nchw, [4]int{0, 2, 3, 1}),
		layout(theirs[2], oihw, [4]int{2, 3, 1, 0}),
		theirs[3],
	} {
		name := []string{"y", "dx", "dw", "dBias"}[i]
		most, worst := 0.0, 0.0
		for j, v := range want {
			most = max(most, math.Abs(float64(v)))
			worst = max(worst, math.Abs(float64(v-ours[i][j])))
		}
		if len(ours[i]) != len(want) || most == 0 || !(worst <= 1e-5*most) {
			t.Errorf("%s: differs from Gorgonia's by %g, largest %g", name, worst, most)
		}
	}
}
