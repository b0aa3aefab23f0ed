package cpu

import (
	"errors"
	"fmt"
	"slices"

	"warren/internal/kernel"
	"warren/internal/portable"
	"warren/net"
)

// headWeights holds the operations after the first ones, for the heads that play needs.
type headWeights struct {
	path      *kernel.Path
	stride    int       // of the first layers' results
	firstBias []float32 // [stride]
	heads     []head
}

// head holds the operations of one head after the first ones.
type head struct {
	net.Head
	layers []layer
}

// layer is an operation of a head.
type layer struct {
	form   form
	in     int           // channels or numbers that it reads
	out    int           // channels or numbers of its result
	column int           // where its input begins in the first layers' results; unused in form row
	from   int           // in form row, the layer of the head that it reads
	dense  *kernel.Dense // in forms squares and board
	weight []float32     // in forms pooled and row, [in or 2*in][out]
	bias   []float32     // [dense.Stride] in form board, otherwise [out]
	output int           // where its result begins in the head's output; -1 if it is not in there
}

// form says what an operation of a head reads, and so when it is computed.
type form uint8

const (
	squares form = iota // the channels of each square: a product for every square
	pooled              // means and maxima of the channels
	board               // all channels of all squares, with a ReLU
	row                 // the result of an operation of form board
)

// gives reports whether the head with the given name is one of them.
func (w *headWeights) gives(name string) bool {
	return slices.ContainsFunc(w.heads, func(h head) bool { return h.Name == name })
}

// newHeadWeights packs the heads that play needs, for a trunk whose features have the given stride.
// It fails if a head combines operations in a way that the processor's plan does not support.
func newHeadWeights(n *net.Network, path *kernel.Path, first *net.FirstLayers, stride int) (headWeights, error) {
	w := headWeights{path: path, stride: stride, firstBias: padded(first.Bias, stride)}
	for _, description := range n.Program.Heads {
		if !description.Play {
			continue
		}
		h := head{Head: description}
		if err := w.pack(&h, n, first.Columns); err != nil {
			return w, fmt.Errorf("the head %s: %w", h.Name, err)
		}
		w.heads = append(w.heads, h)
	}
	return w, nil
}

// pack packs the operations of a head.
func (w *headWeights) pack(h *head, n *net.Network, columns map[net.Value]int) error {
	p := n.Program
	numbers := map[net.Value]int{} // of the head's layers
	for v := h.First; v < h.End; v++ {
		o := p.Op(v)
		if !computes(o) {
			return fmt.Errorf("the processor's plan cannot compute operation %d", v)
		}
		if o.Kind == net.Pool || o.X == p.Trunk {
			continue // computed for all heads together
		}
		packed, err := w.layer(n, v, columns, numbers)
		if err == nil && packed.form == row && h.layers[packed.from].form != board {
			err = errors.New("has to read a layer over the board")
		}
		if err != nil {
			return fmt.Errorf("layer %s %w", p.Layer(v).Name, err)
		}
		numbers[v] = len(h.layers)
		h.layers = append(h.layers, packed)
	}
	at := 0
	for _, v := range h.Outputs {
		i, ok := numbers[v]
		if !ok || h.layers[i].form == board {
			return fmt.Errorf("its output %s is a layer with a ReLU", p.Layer(v).Name)
		}
		l := &h.layers[i]
		if h.Activation != net.Linear && (h.Activation != net.Logistic || l.form != row) {
			return fmt.Errorf("its output %s has an activation that the plan does not compute", p.Layer(v).Name)
		}
		l.output = at
		at += p.Size(v)
	}
	return nil
}

// computes reports whether the plan has an operation for heads, whatever it reads.
func computes(o *net.Op) bool {
	switch {
	case len(o.Operands()) > 1: // something is added
		return false
	case o.Kind == net.Pool:
		return o.Activation == net.Linear
	}
	return (o.Kind == net.Conv1x1 || o.Kind == net.Dense) && (o.Activation == net.Linear || o.Activation == net.ReLU)
}

// layer packs an operation that reads another one of its head.
func (w *headWeights) layer(n *net.Network, v net.Value, columns, numbers map[net.Value]int) (layer, error) {
	o := n.Program.Op(v)
	read, source := n.Program.Op(o.X), o.X
	packed := layer{out: o.Channels, bias: slices.Clone(n.Bias(o.Layer)), output: -1}
	switch {
	case o.Kind == net.Conv1x1:
		packed.form = squares
	case read.Kind == net.Pool:
		packed.form, source = pooled, read.X
	case read.Board:
		packed.form = board
	default:
		packed.form = row
	}
	packed.in = n.Program.Op(source).Channels
	if (o.Activation == net.ReLU) != (packed.form == board) {
		return packed, errors.New("has a ReLU where the plan has none, or none where it has one")
	}
	weight, ok := n.Weight(o.Layer), false
	if packed.form == row {
		if packed.from, ok = numbers[source]; !ok {
			return packed, errors.New("has to read a layer of its head")
		}
		packed.weight = slices.Clone(weight)
		return packed, nil
	}
	if packed.column, ok = columns[source]; !ok {
		return packed, errors.New("has to read a layer that reads the trunk")
	}
	switch packed.form {
	case squares:
		// The matrix takes all results of the first layers, and multiplies those of other layers by
		// 0.
		whole := make([]float32, w.stride*packed.out)
		copy(whole[packed.column*packed.out:], weight)
		packed.dense = kernel.NewDense(w.path, whole, w.stride, packed.out)
	case board:
		packed.dense = kernel.NewDense(w.path, weight, 64*packed.in, packed.out)
		packed.bias = padded(packed.bias, packed.dense.Stride())
	case pooled:
		packed.weight = slices.Clone(weight)
	}
	return packed, nil
}

func padded(v []float32, n int) []float32 { return append(v, make([]float32, n-len(v))...) }

// headScratch is a plan's memory for the heads.
type headScratch struct {
	features []float32 // the first layers' results for one or two boards, [64][boards][stride]
	summary  []float32 // [2][stride], a board's means and maxima
	squares  []float32 // the results of a layer of form squares for the boards
	heads    [][]boardScratch
}

// boardScratch is the memory of a layer of form board. It is empty for others.
type boardScratch struct {
	in  []float32 // [group][64*In]
	out []float32 // [group][dense.Stride]
}

func (w *headWeights) scratch(group int) headScratch {
	rows := kernel.Rounded(group)
	s := headScratch{features: make([]float32, 2*64*w.stride), summary: make([]float32, 2*w.stride)}
	widest := 0
	for _, h := range w.heads {
		boards := make([]boardScratch, len(h.layers))
		for i, l := range h.layers {
			switch l.form {
			case squares:
				widest = max(widest, l.dense.Stride())
			case board:
				boards[i] = boardScratch{make([]float32, rows*64*l.in), make([]float32, rows*l.dense.Stride())}
			}
		}
		s.heads = append(s.heads, boards)
	}
	s.squares = make([]float32, 2*64*widest)
	return s
}

// board computes what depends on one board alone, for n boards of the group starting with board
// first. It reads the features that the trunk has left, and writes to the outputs of the first
// heads, out.
func (p *Plan) board(first, n int, out [][]float32) {
	w, s := &p.weights.heads, &p.heads
	w.path.Rectify(s.features, w.firstBias, 64*n)
	for k := range out {
		h := &w.heads[k]
		for j := range h.layers {
			l := &h.layers[j]
			switch l.form {
			case squares:
				l.dense.Multiply(s.squares, s.features, 64*n)
				stride := n * l.dense.Stride()
				for i := range n {
					at := out[k][(first+i)*h.Size+l.output:][:64*l.out]
					for c, bias := range l.bias[:l.out] {
						results, channel := s.squares[i*l.dense.Stride()+c:], at[c*64:][:64]
						for square := range channel {
							channel[square] = results[square*stride] + bias
						}
					}
				}
			case board:
				for i := range n {
					in := s.heads[k][j].in[(first+i)*64*l.in:][:64*l.in]
					columns(in, s.features[i*w.stride+l.column:], l.in, n*w.stride)
				}
			}
		}
	}
	mean, peak := s.summary[:w.stride], s.summary[w.stride:]
	for i := range n {
		w.path.PoolRows(mean, peak, s.features[i*w.stride:], n*w.stride)
		for k := range out {
			h := &w.heads[k]
			for j := range h.layers {
				l := &h.layers[j]
				if l.form != pooled {
					continue
				}
				at := out[k][(first+i)*h.Size+l.output:][:l.out]
				copy(at, l.bias)
				addProduct(at, mean[l.column:][:l.in], l.weight)
				addProduct(at, peak[l.column:][:l.in], l.weight[l.in*l.out:])
			}
		}
	}
}

// columns copies the first n numbers of rows to y, which they fill. The rows of x are the given distance
// apart. For a few numbers it is faster than copy, and in a function of its own faster than in a large one.
//
//go:noinline
func columns(y, x []float32, n, distance int) {
	for row := range len(y) / n {
		to, from, i := row*n, row*distance, 0
		for ; i+4 <= n; i += 4 {
			*(*[4]float32)(y[to+i:]) = *(*[4]float32)(x[from+i:])
		}
		for ; i < n; i++ {
			y[to+i] = x[from+i]
		}
	}
}

// addProduct adds the row x times the matrix w, [len(x)][len(y)], to y. The conversion keeps products
// from being fused with sums.
func addProduct(y, x, w []float32) {
	for _, v := range x {
		row := w[:len(y)]
		for j := range y {
			y[j] += float32(v * row[j])
		}
		w = w[len(y):]
	}
}

// rest computes the layers that process all boards of the group together, and applies the logistic
// function of the heads that have it.
func (p *Plan) rest(batch int, out [][]float32) {
	w, s := &p.weights.heads, &p.heads
	for k := range out {
		h := &w.heads[k]
		for j := range h.layers {
			l, boards := &h.layers[j], s.heads[k]
			switch l.form {
			case board:
				l.dense.Multiply(boards[j].out, boards[j].in, batch)
				w.path.Rectify(boards[j].out, l.bias, batch)
			case row:
				stride := h.layers[l.from].dense.Stride()
				for i := range batch {
					l.dot(out[k][i*h.Size+l.output:][:l.out], boards[l.from].out[i*stride:][:l.in], h.Activation == net.Logistic)
				}
			}
		}
	}
}

// dot sets y to x times the layer's matrix, or to the logistic function of that product.
func (l *layer) dot(y, x []float32, logistic bool) {
	for o := range y {
		sum := float64(l.bias[o])
		for i, v := range x {
			sum += float64(float64(v) * float64(l.weight[i*l.out+o]))
		}
		if logistic {
			sum = 1 / (1 + portable.Exp(-sum))
		}
		y[o] = float32(sum)
	}
}
