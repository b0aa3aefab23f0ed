package bf16

import "math"

// The functions in this file specify what the assembly computes. They run where there is no
// tile unit, in tests only.

// sum adds to s what the tile unit adds for 32 inputs of one output: the products of the
// even and of the odd inputs are summed apart, each by fused multiply-adds. Numbers below the
// normal range count as zero.
func sum(s float32, x, w []uint16) float32 {
	var even, odd float32
	for k := 0; k < step; k += 2 {
		even = fma(x[k], w[k/2*2*width], even)
		odd = fma(x[k+1], w[k/2*2*width+1], odd)
	}
	return flush(s + flush(even+odd))
}

// fma rounds once: a product of two numbers of 8 bits is exact in a float64, and so is its
// sum with a float32 wherever rounding it twice would differ from rounding it once.
func fma(x, w uint16, s float32) float32 {
	return flush(float32(math.FMA(float64(flush(Float(x))), float64(flush(Float(w))), float64(s))))
}

// convolve computes a convolution of 3x3 squares with bias, residual and ReLU. The channels left
// over from whole tiles go to both their places.
func convolve(c *convolution) {
	x, y := c.x.of(c.part), c.y.of(c.part)
	var res []uint16
	if c.residual != nil {
		res = c.residual.of(c.part)
	}
	for g := range c.groups {
		for b := range c.boards {
			for square := range 64 {
				row := square%8*c.boards + b
				to := ((g*size+square/8*columns+square%8+1)*c.boards + b) * c.y.channels
				for o := range c.out {
					s := c.bias[o]
					if c.own {
						s = c.bias[(g*8*c.boards+row)*c.out+o]
					}
					w := c.weights[o/width*c.tiles()*step*width+2*(o%width):]
					for tap := range 9 {
						rank := square/8 + tap/3 - 1
						from := ((g*size+rank*columns+square%8+tap%3)*c.boards + b) * c.in
						for i := 0; i < c.in; i += step {
							if i == c.in-step && tap%3 == 1 && c.skip == 1 {
								continue // the tap before has these channels too
							}
							if rank >= 0 && rank <= 7 {
								s = sum(s, x[from+i:], w)
							}
							w = w[min(step*width, len(w)):]
						}
					}
					if res != nil {
						s = Float(res[to+o]) + s
					}
					if s < 0 {
						s = 0
					}
					y[to+o] = Round(s)
				}
			}
		}
	}
	if c.y.doubled {
		double(y[c.y.channels-step:], (c.groups*size-1)*c.boards, c.y.channels, c.boards*c.y.channels)
	}
}

// multiply computes the product of every square of a group of boards with a matrix.
func multiply(p *product) {
	for square := range 64 {
		for b := range p.boards {
			x, distance := p.x.board(p.first+b, p.first+p.boards)
			x = x[(square/8*columns+square%8)*distance:]
			for o := range p.out {
				s := float32(0)
				for i := 0; i < p.in; i += step {
					s = sum(s, x[i:], p.weights[(o/width*p.in+i)*width+2*(o%width):])
				}
				p.y[(square*p.boards+b)*p.out+o] = s
			}
		}
	}
}

// pool sets mean and most to the means and the maxima of the channels of the board x, whose
// squares are square elements apart.
func pool(mean, most []float32, x []uint16, square int) {
	clear(mean)
	clear(most)
	for s := range 64 {
		at := x[(s/8*columns+s%8)*square:]
		for c := range mean {
			v := Float(at[c])
			mean[c] += v
			if !(most[c] > v) {
				most[c] = v
			}
		}
	}
	for c := range mean {
		mean[c] *= 1. / 64
	}
}

// narrow rounds the board x, [64][channels], to y, whose squares are square elements apart. It
// rounds zeros after the channels up to a multiple of 16.
func narrow(y []uint16, x []float32, channels, square int) {
	for s := range 64 {
		to := y[(s/8*columns+s%8)*square:]
		for c, v := range x[s*channels:][:channels] {
			to[c] = Round(v)
		}
	}
}

// double copies the left channels of n squares in y, which are every elements apart. The channels
// are half a tile. It copies the channels of the square at the given distance to the other half. N
// is even.
func double(y []uint16, n, every, distance int) {
	for i := range n {
		copy(y[i*every+step/2:][:step/2], y[i*every+distance:])
	}
}
