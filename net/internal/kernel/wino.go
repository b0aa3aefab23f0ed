package kernel

// Winograd's minimal filtering F(4x4, 3x3) (Lavin and Gray 2016, "Fast
// algorithms for convolutional neural networks"): an output tile of 4x4
// squares comes from an input tile of 6x6 by 36 multiplications a channel pair
// instead of 144. A board is four tiles, and four tiles are the four rows of a
// left panel, so each of the 36 products is one Product a board.
//
// Scratch of one board:
//
//	v [36] of panels [cin][4 tiles]    the transformed input
//	m [cout][36][4 tiles]              the products, gathered by channel
//
// On boards of 8x8 the outermost ring of the input tiles is the edge's zeros.

const (
	winoPoints = 36 // transform points of a tile, 6x6
	winoTiles  = 4  // tiles of a board

	// Group is how many boards share one pass over the transformed weights.
	Group = 4
)

// filterTransform is G of F(4,3).
var filterTransform = [6][3]float64{
	{1. / 4, 0, 0},
	{-1. / 6, -1. / 6, -1. / 6},
	{-1. / 6, 1. / 6, -1. / 6},
	{1. / 24, 1. / 12, 1. / 6},
	{1. / 24, -1. / 12, 1. / 6},
	{0, 0, 1},
}

// winoWeights transforms w, [3][3][cin][cout], into 36 right operands of cin
// rows and cout columns.
func winoWeights(w []float32, cin, cout int) []float32 {
	u := make([]float32, 0, winoPoints*cin*(cout+cout%2))
	one := make([]float32, cin*cout)
	for i := range 6 {
		for j := range 6 {
			for e := range one {
				s := 0.0
				for y := range 3 {
					for x := range 3 {
						s += filterTransform[i][y] * filterTransform[j][x] * float64(w[(y*3+x)*cin*cout+e])
					}
				}
				one[e] = float32(s)
			}
			u = append(u, PackColumns(one, cin, cout)...)
		}
	}
	return u
}

// spread is one dimension of the input transform, B' of F(4,3).
func spread(d0, d1, d2, d3, d4, d5 float32) (t0, t1, t2, t3, t4, t5 float32) {
	a, b := d4-4*d2, d3-4*d1
	c, e := d4-d2, 2*(d3-d1)
	return 4*d0 - 5*d2 + d4, a + b, a - b, c + e, c - e, 4*d1 - 5*d3 + d5
}

// gather is one dimension of the output transform, A' of F(4,3).
func gather(t0, t1, t2, t3, t4, t5 float32) (y0, y1, y2, y3 float32) {
	a, b := t1+t2, t1-t2
	c, e := t3+t4, t3-t4
	return t0 + a + c, b + 2*e, a + 4*c, b + 8*e + t5
}

// winoIn transforms the board x, [64][cin], into v.
func winoIn(v, x []float32, cin int) {
	var s [2][6][8]float32 // by tile row, transformed row, column
	x = x[:64*cin]
	stride := winoTiles * cin
	v = v[:winoPoints*stride]
	for c := range cin {
		for f := range 8 {
			at := f*cin + c
			r0, r1, r2, r3 := x[at], x[at+8*cin], x[at+16*cin], x[at+24*cin]
			r4, r5, r6, r7 := x[at+32*cin], x[at+40*cin], x[at+48*cin], x[at+56*cin]
			s[0][0][f], s[0][1][f], s[0][2][f], s[0][3][f], s[0][4][f], s[0][5][f] = spread(0, r0, r1, r2, r3, r4)
			s[1][0][f], s[1][1][f], s[1][2][f], s[1][3][f], s[1][4][f], s[1][5][f] = spread(r3, r4, r5, r6, r7, 0)
		}
		for i := range 6 {
			for ty := range 2 {
				q := &s[ty][i]
				o := v[6*i*stride+winoTiles*c+2*ty:]
				l0, l1, l2, l3, l4, l5 := spread(0, q[0], q[1], q[2], q[3], q[4])
				r0, r1, r2, r3, r4, r5 := spread(q[3], q[4], q[5], q[6], q[7], 0)
				*(*[2]float32)(o) = [2]float32{l0, r0}
				*(*[2]float32)(o[stride:]) = [2]float32{l1, r1}
				*(*[2]float32)(o[2*stride:]) = [2]float32{l2, r2}
				*(*[2]float32)(o[3*stride:]) = [2]float32{l3, r3}
				*(*[2]float32)(o[4*stride:]) = [2]float32{l4, r4}
				*(*[2]float32)(o[5*stride:]) = [2]float32{l5, r5}
			}
		}
	}
}

// winoOut transforms m back into the board y, [64][cout], adds bias and, if
// they are given, the residual res, shaped as y, and rectifies.
func winoOut(y, m, bias, res []float32, cout int) {
	var s [6][4]float32 // by transformed column, row
	y, bias = y[:64*cout], bias[:cout]
	for c, b := range bias {
		q := (*[winoPoints * winoTiles]float32)(m[c*winoPoints*winoTiles:])
		for t := range winoTiles {
			for j := range 6 {
				p := (*[5*6*winoTiles + 1]float32)(q[j*winoTiles+t:])
				s[j][0], s[j][1], s[j][2], s[j][3] = gather(p[0], p[6*winoTiles], p[12*winoTiles], p[18*winoTiles], p[24*winoTiles], p[30*winoTiles])
			}
			at := ((t/2)*32+(t%2)*4)*cout + c
			for r := range 4 {
				y0, y1, y2, y3 := gather(s[0][r], s[1][r], s[2][r], s[3][r], s[4][r], s[5][r])
				y0, y1, y2, y3 = y0+b, y1+b, y2+b, y3+b
				if res != nil {
					y0 += res[at]
					y1 += res[at+cout]
					y2 += res[at+2*cout]
					y3 += res[at+3*cout]
				}
				y[at] = max(0, y0)
				y[at+cout] = max(0, y1)
				y[at+2*cout] = max(0, y2)
				y[at+3*cout] = max(0, y3)
				at += 8 * cout
			}
		}
	}
}

// Conv is a 3x3 convolution over 8x8 boards with the edge padded by zeros, its
// weights transformed once. It is safe for concurrent use.
type Conv struct {
	in, out int
	u       []float32
}

// NewConv prepares the weights w, [3][3][in][out].
func NewConv(w []float32, in, out int) *Conv {
	return &Conv{in: in, out: out, u: winoWeights(w, in, out)}
}

// Scratch is the working memory of convolutions of up to a number of channels,
// for one goroutine.
type Scratch struct{ v, m []float32 }

// NewScratch makes working memory for convolutions of up to channels in and
// out.
func NewScratch(channels int) *Scratch {
	n := Group * winoPoints * winoTiles * (channels + channels%2)
	return &Scratch{v: make([]float32, n), m: make([]float32, n)}
}

// Forward sets y, [boards][64][out], to relu(conv(x) + bias + res), where x is
// [boards][64][in] and res is shaped as y, or nil for none. bias is [out], or
// [boards][out] for a bias of each board's own. y may be res.
func (c *Conv) Forward(y, x, bias, res []float32, boards int, s *Scratch) {
	vs, ms := winoPoints*winoTiles*c.in, winoPoints*winoTiles*(c.out+c.out%2)
	own := len(bias) > c.out
	for g := 0; g < boards; g += Group {
		n := min(Group, boards-g)
		for b := range n {
			winoIn(s.v[b*vs:], x[(g+b)*64*c.in:], c.in)
		}
		c.products(s.v, s.m, n)
		for b := range n {
			at, r, bb := (g+b)*64*c.out, res, bias
			if res != nil {
				r = res[at:]
			}
			if own {
				bb = bias[(g+b)*c.out:]
			}
			winoOut(y[at:], s.m[b*ms:], bb, r, c.out)
		}
	}
}

// products multiplies the 36 panels of each of n boards by the weights.
func (c *Conv) products(v, m []float32, n int) {
	vs, ms := winoPoints*winoTiles*c.in, winoPoints*winoTiles*(c.out+c.out%2)
	for i := range winoPoints {
		u := c.u[i*c.in*(c.out+c.out%2):]
		for j := 0; j < c.out; j += 2 {
			w := u[j*c.in:][:2*c.in]
			for b := range n {
				o := m[b*ms+(j*winoPoints+i)*winoTiles:]
				mul4x2((*[4]float32)(o), (*[4]float32)(o[winoPoints*winoTiles:]), v[b*vs+i*winoTiles*c.in:][:winoTiles*c.in], w)
			}
		}
	}
}
