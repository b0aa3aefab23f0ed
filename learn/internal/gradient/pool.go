package gradient

import "warren/internal/kernel"

// Pool takes x, [boards*64][c], to the mean and the maximum of each channel
// over each board: y is [boards][2*c], means first (Wu 2019, "Accelerating
// self-play learning in Go", sec. 3.3).
func Pool(p *kernel.Path, w Workers, boards, c int, x, y []float32) {
	w.each(boards, func(_, b int) {
		p.Pool(y[b*2*c:][:c], y[b*2*c+c:][:c], x[b*squares*c:])
	})
}

// PoolBackward sets dx to the gradient by x of Pool, given y and the gradient
// dy by y. Where several squares share the maximum, the first has its gradient.
func PoolBackward(w Workers, boards, c int, x, y, dy, dx []float32) {
	w.each(boards, func(_, b int) {
		most := y[b*2*c+c:][:c]
		dMean, dMost := dy[b*2*c:][:c], dy[b*2*c+c:][:c]
		rows, d := x[b*squares*c:(b+1)*squares*c], dx[b*squares*c:(b+1)*squares*c]
		for r := d; len(r) > 0; r = r[c:] {
			for j, v := range dMean {
				r[j] = v * (1. / squares)
			}
		}
		for j, v := range most {
			for i := j; i < len(rows); i += c {
				if rows[i] == v {
					d[i] += dMost[j]
					break
				}
			}
		}
	})
}
