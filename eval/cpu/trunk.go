package cpu

import "warren/internal/kernel"

// trunk is the network up to the first layers of the heads, with its weights packed. All
// plans of a back end share it.
type trunk interface {
	// precision returns the name of the path, and the name of the number format in the tower.
	precision() (path, numbers string)
	// group returns the largest number of positions that should go through all layers together.
	group() int
	// stride returns the distance between the squares of the features.
	stride() int
	// room returns the memory of a plan.
	room(group int) run
}

// run is a trunk with the memory of one plan.
type run interface {
	// tower takes encoded positions, [batch][64][NumPlanes], at most a group,
	// through the stem and the residual blocks.
	tower(x []float32, batch int)
	// features sets f, [64][boards][stride], to the products of the tower's result with the
	// matrices of the heads' first layers, side by side, without bias. It does this for board i of
	// the batch, and also for the next board if it returns 2.
	features(f []float32, i, batch int) (boards int)
}

// poolBias is the memory for the biases of a pooled block.
type poolBias struct {
	channels int
	pooled   []float32 // [group][2*channels], means and maxima
	bias     []float32 // [group][channels]
}

func newPoolBias(group, channels int) poolBias {
	rows := kernel.Rounded(group)
	return poolBias{channels, make([]float32, rows*2*channels), make([]float32, rows*channels)}
}

// board returns the place of the means and the maxima of board i.
func (p *poolBias) board(i int) (mean, most []float32) {
	both := p.pooled[i*2*p.channels:][:2*p.channels]
	return both[:p.channels], both[p.channels:]
}

// of returns each board's bias, [batch][channels]: base plus the product of the means and maxima
// with the matrix.
func (p *poolBias) of(matrix *kernel.Dense, base []float32, batch int) []float32 {
	matrix.Multiply(p.bias, p.pooled, batch)
	bias := p.bias[:batch*p.channels]
	for i := range batch {
		row := bias[i*p.channels:][:p.channels]
		for j, v := range base[:len(row)] {
			row[j] += v
		}
	}
	return bias
}
