package onnx

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// A naive interpreter, in float64, of exactly the operators that the package
// writes, as ONNX defines them.

type value struct {
	shape []int
	data  []float64
}

func zeros(shape ...int) value { return value{shape, make([]float64, product(shape))} }

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func dimension(field protowire.Number, v int, s []byte) string {
	if field == 2 {
		return string(s)
	}
	return strconv.Itoa(v)
}

// run computes the model's outputs. It fails the test if the model is unsound: if
// results have the same name, are used before they are computed, or are not used.
func (m model) run(t *testing.T, inputs map[string]value) map[string]value {
	t.Helper()
	known, used := maps.Clone(inputs), map[string]bool{}
	set := func(name string, v value) {
		if _, ok := known[name]; ok {
			t.Fatalf("two values are named %q", name)
		}
		known[name] = v
	}
	for _, w := range m.weights {
		v := zeros(w.shape...)
		for i, x := range w.data {
			v.data[i] = float64(x)
		}
		set(w.name, v)
	}
	for _, o := range m.nodes {
		var in []value
		for _, name := range o.inputs {
			v, ok := known[name]
			if !ok {
				t.Fatalf("%s uses %q before it is computed", o.name, name)
			}
			used[name] = true
			in = append(in, v)
		}
		if len(o.outputs) != 1 {
			t.Fatalf("%s has outputs %q", o.name, o.outputs)
		}
		v, err := o.apply(in)
		if err != nil {
			t.Fatalf("%s: %v", o.name, err)
		}
		set(o.outputs[0], v)
	}
	out := map[string]value{}
	for _, p := range m.outputs {
		v, ok := known[p.name]
		if !ok {
			t.Fatalf("the output %q is not computed", p.name)
		}
		used[p.name] = true
		out[p.name] = v
	}
	for name := range known {
		if !used[name] {
			t.Errorf("nothing uses %q", name)
		}
	}
	return out
}

func (o op) apply(in []value) (value, error) {
	arity := map[string]int{"Conv": 3, "Gemm": 3, "Add": 2, "Concat": 2}
	if want := max(1, arity[o.operator]); len(in) != want {
		return value{}, fmt.Errorf("%s of %d inputs, want %d", o.operator, len(in), want)
	}
	attributes := map[string][]string{
		"Transpose": {"perm"}, "Conv": {"kernel_shape", "pads"}, "Concat": {"axis"}, "Flatten": {"axis"}, "Softmax": {"axis"},
	}
	if got := slices.Sorted(maps.Keys(o.ints)); !slices.Equal(got, attributes[o.operator]) {
		return value{}, fmt.Errorf("%s with attributes %q, want %q", o.operator, got, attributes[o.operator])
	}
	x := in[0]
	switch o.operator {
	case "Transpose":
		return transpose(x, o.ints["perm"])
	case "Conv":
		return convolve(x, in[1], in[2], o.ints["kernel_shape"], o.ints["pads"])
	case "Relu":
		return each(x, func(v float64) float64 { return max(0, v) }), nil
	case "Sigmoid":
		return each(x, func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }), nil
	case "Softmax":
		if !slices.Equal(o.ints["axis"], []int{1}) || len(x.shape) != 2 {
			return value{}, fmt.Errorf("of %v along axis %v", x.shape, o.ints["axis"])
		}
		return softmax(x), nil
	case "Add":
		return add(x, in[1])
	case "GlobalAveragePool":
		return pool(x, func(row []float64) float64 {
			sum := 0.0
			for _, v := range row {
				sum += v
			}
			return sum / float64(len(row))
		})
	case "GlobalMaxPool":
		return pool(x, slices.Max[[]float64])
	case "Concat":
		return concat(x, in[1], o.ints["axis"])
	case "Flatten":
		if !slices.Equal(o.ints["axis"], []int{1}) || len(x.shape) < 1 {
			return value{}, fmt.Errorf("of %v along axis %v", x.shape, o.ints["axis"])
		}
		return value{[]int{x.shape[0], product(x.shape[1:])}, x.data}, nil
	case "Gemm":
		return multiply(x, in[1], in[2])
	}
	return value{}, fmt.Errorf("unknown operator %q", o.operator)
}

func each(x value, f func(float64) float64) value {
	y := zeros(x.shape...)
	for i, v := range x.data {
		y.data[i] = f(v)
	}
	return y
}

// softmax computes the softmax of each row.
func softmax(x value) value {
	y := each(x, math.Exp)
	for row := range slices.Chunk(y.data, x.shape[1]) {
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		for i := range row {
			row[i] /= sum
		}
	}
	return y
}

func transpose(x value, perm []int) (value, error) {
	if !slices.Equal(slices.Sorted(slices.Values(perm)), []int{0, 1, 2, 3}) || len(x.shape) != 4 {
		return value{}, fmt.Errorf("of %v by %v", x.shape, perm)
	}
	s := x.shape
	y := zeros(s[perm[0]], s[perm[1]], s[perm[2]], s[perm[3]])
	for i := range y.data {
		rest := i
		var from [4]int
		for d := 3; d >= 0; d-- {
			from[perm[d]] = rest % y.shape[d]
			rest /= y.shape[d]
		}
		y.data[i] = x.data[((from[0]*s[1]+from[1])*s[2]+from[2])*s[3]+from[3]]
	}
	return y, nil
}

// convolve takes the pads in ONNX's order: both beginnings, then both ends.
func convolve(x, w, bias value, kernel, pads []int) (value, error) {
	if len(x.shape) != 4 || len(w.shape) != 4 || w.shape[1] != x.shape[1] || len(pads) != 4 ||
		!slices.Equal(kernel, w.shape[2:]) || !slices.Equal(bias.shape, w.shape[:1]) {
		return value{}, fmt.Errorf("of %v by %v, bias %v, kernel %v, pads %v", x.shape, w.shape, bias.shape, kernel, pads)
	}
	in, height, width := x.shape[1], x.shape[2], x.shape[3]
	kh, kw := kernel[0], kernel[1]
	y := zeros(x.shape[0], w.shape[0], height+pads[0]+pads[2]-kh+1, width+pads[1]+pads[3]-kw+1)
	for i := range y.data {
		f := i % y.shape[3]
		r := i / y.shape[3] % y.shape[2]
		o := i / (y.shape[3] * y.shape[2]) % y.shape[1]
		b := i / (y.shape[3] * y.shape[2] * y.shape[1])
		sum := bias.data[o]
		for c := range in {
			for dr := range kh {
				for df := range kw {
					fromR, fromF := r+dr-pads[0], f+df-pads[1]
					if fromR >= 0 && fromR < height && fromF >= 0 && fromF < width {
						sum += x.data[((b*in+c)*height+fromR)*width+fromF] * w.data[((o*in+c)*kh+dr)*kw+df]
					}
				}
			}
		}
		y.data[i] = sum
	}
	return y, nil
}

// add adds y to x; a board of one square is broadcast.
func add(x, y value) (value, error) {
	if slices.Equal(x.shape, y.shape) {
		sum := zeros(x.shape...)
		for i := range sum.data {
			sum.data[i] = x.data[i] + y.data[i]
		}
		return sum, nil
	}
	if len(x.shape) != 4 || !slices.Equal(y.shape, []int{x.shape[0], x.shape[1], 1, 1}) {
		return value{}, fmt.Errorf("of %v and %v", x.shape, y.shape)
	}
	sum := zeros(x.shape...)
	for i := range sum.data {
		sum.data[i] = x.data[i] + y.data[i/(x.shape[2]*x.shape[3])]
	}
	return sum, nil
}

func pool(x value, f func([]float64) float64) (value, error) {
	if len(x.shape) != 4 {
		return value{}, fmt.Errorf("of %v", x.shape)
	}
	y := zeros(x.shape[0], x.shape[1], 1, 1)
	squares := x.shape[2] * x.shape[3]
	for i := range y.data {
		y.data[i] = f(x.data[i*squares:][:squares])
	}
	return y, nil
}

func concat(x, y value, axis []int) (value, error) {
	if !slices.Equal(axis, []int{1}) || len(x.shape) < 2 || len(y.shape) != len(x.shape) ||
		x.shape[0] != y.shape[0] || !slices.Equal(x.shape[2:], y.shape[2:]) {
		return value{}, fmt.Errorf("of %v and %v along axis %v", x.shape, y.shape, axis)
	}
	shape := slices.Clone(x.shape)
	shape[1] += y.shape[1]
	z := value{shape: shape}
	for b := range x.shape[0] {
		for _, part := range []value{x, y} {
			n := product(part.shape[1:])
			z.data = append(z.data, part.data[b*n:][:n]...)
		}
	}
	return z, nil
}

func multiply(x, w, bias value) (value, error) {
	if len(x.shape) != 2 || len(w.shape) != 2 || x.shape[1] != w.shape[0] || !slices.Equal(bias.shape, w.shape[1:]) {
		return value{}, fmt.Errorf("of %v by %v, bias %v", x.shape, w.shape, bias.shape)
	}
	in, out := w.shape[0], w.shape[1]
	y := zeros(x.shape[0], out)
	for i := range y.data {
		b, o := i/out, i%out
		y.data[i] = bias.data[o]
		for k := range in {
			y.data[i] += x.data[b*in+k] * w.data[k*out+o]
		}
	}
	return y, nil
}
