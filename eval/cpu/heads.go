package cpu

import (
	"fmt"
	"math"
	"slices"

	"warren/internal/kernel"
	"warren/net"
)

// headWeights holds the layers after the first ones, for the heads that play needs.
type headWeights struct {
	path      *kernel.Path
	stride    int       // of the first layers' results
	firstBias []float32 // [stride]
	heads     []head
}

// head holds the layers of one head after the first ones.
type head struct {
	net.Head
	size   int // of the output
	layers []layer
}

// layer is a layer of a head.
type layer struct {
	net.Layer
	column int           // where its input begins in the first layers' results; unused for a Dense layer
	from   int           // for a Dense layer, the layer of the head that it reads
	dense  *kernel.Dense // for Squares and Board
	weight []float32     // for Pooled and Dense, [Inputs][Out]
	bias   []float32     // [dense.Stride] for a Board layer, otherwise [Out]
	output int           // where its result begins in the head's output; -1 if it is not in there
}

// gives reports whether the head with the given name is one of them.
func (w *headWeights) gives(name string) bool {
	return slices.ContainsFunc(w.heads, func(h head) bool { return h.Name == name })
}

// newHeadWeights packs the heads that play needs, for a trunk whose features have the given stride.
// It fails if a head combines layers in a way that the processor's plan does not support.
func newHeadWeights(n *net.Network, path *kernel.Path, first *net.FirstLayers, stride int) (headWeights, error) {
	w := headWeights{path: path, stride: stride, firstBias: padded(first.Bias, stride)}
	for _, h := range n.Config.Heads() {
		if h.Play {
			w.heads = append(w.heads, head{Head: h, size: h.Size()})
		}
	}
	for i := range w.heads {
		h := &w.heads[i]
		for _, l := range h.Layers {
			if l.From == "" {
				continue
			}
			packed, err := w.layer(n, h, l, first.Columns)
			if err != nil {
				return w, fmt.Errorf("the head %s: layer %s %w", h.Name, l.Name, err)
			}
			h.layers = append(h.layers, packed)
		}
		if err := h.place(); err != nil {
			return w, err
		}
	}
	return w, nil
}

// layer packs a layer that reads another layer of its head.
func (w *headWeights) layer(n *net.Network, h *head, l net.Layer, columns map[string]int) (layer, error) {
	weight, bias := n.Param(l.Name+".weight").Data, slices.Clone(n.Param(l.Name+".bias").Data)
	packed := layer{Layer: l, bias: bias, output: -1}
	if l.Form == net.Dense {
		packed.from = slices.IndexFunc(h.layers, func(before layer) bool { return before.Name == l.From })
		if packed.from < 0 || h.layers[packed.from].Form != net.Board || l.Relu {
			return packed, fmt.Errorf("has to read a layer over the board and be the last")
		}
		packed.weight = slices.Clone(weight)
		return packed, nil
	}
	var ok bool
	if packed.column, ok = columns[l.From]; !ok {
		return packed, fmt.Errorf("has to read a layer that reads the trunk")
	}
	if l.Relu != (l.Form == net.Board) {
		return packed, fmt.Errorf("has a ReLU where the plan has none, or none where it has one")
	}
	switch l.Form {
	case net.Squares:
		// The matrix takes all results of the first layers, and multiplies those of other layers by
		// 0.
		whole := make([]float32, w.stride*l.Out)
		copy(whole[packed.column*l.Out:], weight)
		packed.dense = kernel.NewDense(w.path, whole, w.stride, l.Out)
	case net.Board:
		packed.dense = kernel.NewDense(w.path, weight, l.Inputs(), l.Out)
		packed.bias = padded(bias, packed.dense.Stride())
	case net.Pooled:
		packed.weight = slices.Clone(weight)
	}
	return packed, nil
}

// place determines where each layer's result begins in the head's output.
func (h *head) place() error {
	at := 0
	for _, name := range h.Outputs {
		i := slices.IndexFunc(h.layers, func(l layer) bool { return l.Name == name })
		if i < 0 || h.layers[i].Form == net.Board {
			return fmt.Errorf("the head %s: its output %s is a layer with a ReLU", h.Name, name)
		}
		h.layers[i].output = at
		at += h.layers[i].Out
		if h.layers[i].Form == net.Squares {
			at += 63 * h.layers[i].Out
		}
	}
	return nil
}

func padded(v []float32, n int) []float32 { return append(v, make([]float32, n-len(v))...) }

// headScratch is a plan's memory for the heads.
type headScratch struct {
	features []float32 // the first layers' results for one or two boards, [64][boards][stride]
	summary  []float32 // [2][stride], a board's means and maxima
	squares  []float32 // a Squares layer's results for the boards
	heads    [][]boardScratch
}

// boardScratch is the memory of a Board layer. It is empty for other layers.
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
			switch l.Form {
			case net.Squares:
				widest = max(widest, l.dense.Stride())
			case net.Board:
				boards[i] = boardScratch{make([]float32, rows*l.Inputs()), make([]float32, rows*l.dense.Stride())}
			}
		}
		s.heads = append(s.heads, boards)
	}
	s.squares = make([]float32, 2*64*widest)
	return s
}

// boards computes what depends on one board alone, for n boards of the group starting with board
// first. It reads the features that the trunk has left, and writes to the outputs of the first
// heads, out.
func (p *Plan) boards(first, n int, out [][]float32) {
	w, s := &p.weights.heads, &p.heads
	w.path.Rectify(s.features, w.firstBias, 64*n)
	for k := range out {
		h := &w.heads[k]
		for j := range h.layers {
			l := &h.layers[j]
			switch l.Form {
			case net.Squares:
				l.dense.Multiply(s.squares, s.features, 64*n)
				stride := n * l.dense.Stride()
				for i := range n {
					at := out[k][(first+i)*h.size+l.output:][:64*l.Out]
					for c, bias := range l.bias[:l.Out] {
						results, channel := s.squares[i*l.dense.Stride()+c:], at[c*64:][:64]
						for square := range channel {
							channel[square] = results[square*stride] + bias
						}
					}
				}
			case net.Board:
				for i := range n {
					in := s.heads[k][j].in[(first+i)*64*l.In:][:64*l.In]
					for square := range 64 {
						copy(in[square*l.In:], s.features[(square*n+i)*w.stride+l.column:][:l.In])
					}
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
				if l.Form != net.Pooled {
					continue
				}
				at := out[k][(first+i)*h.size+l.output:][:l.Out]
				copy(at, l.bias)
				addProduct(at, mean[l.column:][:l.In], l.weight)
				addProduct(at, peak[l.column:][:l.In], l.weight[l.In*l.Out:])
			}
		}
	}
}

// addProduct adds the row x times the matrix w, [len(x)][len(y)], to y.
func addProduct(y, x, w []float32) {
	for _, v := range x {
		row := w[:len(y)]
		for j := range y {
			y[j] += v * row[j]
		}
		w = w[len(y):]
	}
}

// rest computes the layers that process all boards of the group together. It
// also turns the logits of chances into chances.
func (p *Plan) rest(batch int, out [][]float32) {
	w, s := &p.weights.heads, &p.heads
	for k := range out {
		h := &w.heads[k]
		for j := range h.layers {
			l, boards := &h.layers[j], s.heads[k]
			switch l.Form {
			case net.Board:
				l.dense.Multiply(boards[j].out, boards[j].in, batch)
				w.path.Rectify(boards[j].out, l.bias, batch)
			case net.Dense:
				stride := h.layers[l.from].dense.Stride()
				for i := range batch {
					l.dot(out[k][i*h.size+l.output:][:l.Out], boards[l.from].out[i*stride:][:l.In], h.Loss == net.Chances)
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
			sum += float64(v) * float64(l.weight[i*l.Out+o])
		}
		if logistic {
			sum = 1 / (1 + math.Exp(-sum))
		}
		y[o] = float32(sum)
	}
}
