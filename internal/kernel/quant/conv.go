package quant

import "math"

const (
	points = 36 // points of a transformed tile, 6x6
	tiles  = 4  // tiles of a board, each of 4x4 squares
)

// strip is the largest number of outputs whose points are in memory at once.
const strip = 64

// Conv is a 3x3 convolution over 8x8 boards, padded with zeros, by Winograd's F(4,3), with a
// ReLU. It is safe for concurrent use after Fit.
type Conv struct {
	unit    *Unit
	in, out int       // rounded
	largest []float64 // [out] bounds on the results, without the bias
	bias    []float64 // [out]
	step    []float64 // [strips][points][strip], of the weights
	weights []int16   // [strips][points][panels], as pack lays them out

	// In steps of the result:
	y     Format
	scale []float32 // like step
	add   []float32 // [out], the bias
	ratio []float32 // [out], of the residual's steps
	per   []float32 // [out], steps per 1
}

// NewConv rounds the weights w, [3][3][in][out], of a convolution with the given bias, [out], for
// boards of format x. Fit must be called before Forward.
func NewConv(u *Unit, w, bias []float32, in, out int, x Format) *Conv {
	c := &Conv{unit: u, in: Rounded(in), out: Rounded(out)}
	c.largest, c.bias = make([]float64, c.out), make([]float64, c.out)
	for o, b := range bias {
		c.bias[o] = float64(b)
	}
	c.step = make([]float64, points*c.out)
	c.weights = make([]int16, points*c.in*c.out)
	c.strips(func(first, n int) {
		filters := make([]float64, points*c.in)
		rows := make([]int16, points*c.in*n) // [point][output][in]
		for j := range min(n, max(out-first, 0)) {
			o := first + j
			for i := range in {
				u := filterPoints(w, i, o, in, out)
				for p, v := range u {
					filters[p*c.in+i] = v * float64(x.Step[i]) * float64(divisor(p))
				}
				most := float64(x.Step[i]) * Top
				for tap := range 9 {
					c.largest[o] += float64(most * math.Abs(float64(w[(tap*in+i)*out+o])))
				}
			}
			for p := range points {
				c.step[points*first+p*n+j] = quantize(rows[(p*n+j)*c.in:][:c.in], filters[p*c.in:][:c.in])
			}
		}
		pack := u.pack
		if u.inBytes(c.in) {
			pack = u.bytes.pack
		}
		for p := range points {
			pack(c.weights[(points*first+p*n)*c.in:], rows[p*n*c.in:], c.in, n)
		}
	})
	return c
}

// strips divides the outputs into strips of nearly the same width, and calls f with the first
// output of each and their number.
func (c *Conv) strips(f func(first, n int)) {
	count := (c.out + strip - 1) / strip
	at := 0
	for i := range count {
		next := c.out / width * (i + 1) / count * width
		f(at, next-at)
		at = next
	}
}

// Largest returns a bound on the results of each output. The residual has the format r; it has no
// steps if there is none. The bias is [out], the largest of those that Forward is given.
func (c *Conv) Largest(bias []float32, r Format) []float32 {
	all := make([]float32, len(bias))
	for o, b := range bias {
		v := c.largest[o] + math.Abs(float64(b))
		if r.Step != nil {
			v += float64(float64(r.Step[o]) * Top)
		}
		all[o] = float32(v)
	}
	return all
}

// Fit chooses the format y of the results. The residual has the format r; it has no steps if there
// is none.
func (c *Conv) Fit(y, r Format) {
	c.y = y
	c.scale = make([]float32, len(c.step))
	c.add, c.ratio, c.per = make([]float32, c.out), make([]float32, c.out), make([]float32, c.out)
	c.strips(func(first, n int) {
		for j := range min(n, max(len(y.Step)-first, 0)) {
			o, step := first+j, float64(y.Step[first+j])
			for p := range points {
				c.scale[points*first+p*n+j] = float32(c.step[points*first+p*n+j] / step)
			}
			c.add[o], c.per[o] = float32(c.bias[o]/step), float32(1/step)
			if r.Step != nil {
				c.ratio[o] = float32(float64(r.Step[o]) / step)
			}
		}
	})
}

// Format returns the format of the results.
func (c *Conv) Format() Format { return c.y }

// Group returns the number of boards that go through at once. A network that takes one group at a
// time through all its layers keeps the activations in the cache.
func (c *Conv) Group() int {
	if c.unit.inBytes(c.in) && c.unit.bytes.group > 0 {
		return c.unit.bytes.group
	}
	return min(max(512/max(c.in, c.out), 4), 16)
}

// pointStride returns the distance between the points of a transformed board, in elements. The
// extra elements prevent all points from falling into the same set of the cache.
func pointStride(channels int) int { return tiles*channels + 2*width }

// Scratch is the working memory of convolutions. The zero value is ready to use. It grows to the
// size that the largest convolution needs. It is not safe for concurrent use.
type Scratch struct {
	v       []int16
	m, line []float32
	bias    []float32
	bytes   pointProducts
}

// lineSize is the number of elements of the scratch memory of a transform.
const lineSize = 96 * 16

// apart is the number of unused elements after a transformed group. The processor prefetches memory
// far beyond its end; see package kernel.
const apart = 1 << 16

func grow[T int16 | float32](s *[]T, n int) {
	if len(*s) < n {
		*s = make([]T, n+apart)[:n]
	}
}

// Forward sets y to relu(conv(x) + bias + residual), rounded to the format of the results. All boards
// are [boards][64][channels]; the residual is nil for none, and may be y itself. The bias is nil for
// the convolution's own, or [boards][out], with the biases of each board instead.
func (c *Conv) Forward(y, x []int16, bias []float32, residual []int16, boards int, s *Scratch) {
	u, group := c.unit, c.Group()
	vp, mp := pointStride(c.in), pointStride(min(c.out, strip))
	vs, ms := points*vp, points*mp
	grow(&s.v, min(group, boards)*vs)
	grow(&s.m, min(group, boards)*ms)
	grow(&s.line, lineSize)
	grow(&s.bias, c.out)
	x, y = x[:boards*64*c.in], y[:boards*64*c.out]
	for first := 0; first < boards; first += group {
		n := min(group, boards-first)
		for b := range n {
			u.input(s.v[b*vs:][:vs], x[(first+b)*64*c.in:][:64*c.in], s.line, c.in, vp)
		}
		c.strips(func(at, outputs int) {
			c.multiply(s, at, outputs, n)
			for b := range n {
				add := c.add
				if bias != nil {
					add = s.bias[:c.out]
					for o, v := range bias[(first+b)*len(c.y.Step):][:len(c.y.Step)] {
						add[o] = v * c.per[o]
					}
					clear(add[len(c.y.Step):])
				}
				to := (first+b)*64*c.out + at
				m := s.m[b*ms:][:ms]
				if residual == nil {
					u.output(y[to:], m, add[at:], s.line, outputs, c.out, mp)
				} else {
					u.outputAdd(y[to:], m, add[at:], residual[to:], c.ratio[at:], s.line, outputs, c.out, mp)
				}
			}
		})
	}
}

// multiply sets the points of a strip of outputs, the first of which is at, to the products of the points
// of transformed boards by the weights.
func (c *Conv) multiply(s *Scratch, at, outputs, boards int) {
	u := c.unit
	vp, mp := pointStride(c.in), pointStride(min(c.out, strip))
	if u.inBytes(c.in) {
		if need := workBytes(c.in, boards); len(s.bytes.work) < need {
			s.bytes.work = aligned(need)
		}
		s.bytes = pointProducts{
			c: s.m, a: s.v, b: c.weights[points*at*c.in:][:points*outputs*c.in], scale: c.scale[points*at:][:points*outputs],
			k: c.in, n: outputs, blocks: boards, aPoint: vp, cPoint: mp, aBlock: points * vp, cBlock: points * mp, work: s.bytes.work,
		}
		u.bytes.multiply(&s.bytes)
		return
	}
	for p := range points {
		weights, scale := c.weights[(points*at+p*outputs)*c.in:], c.scale[points*at+p*outputs:]
		// As in the unit's multiply, whose call would cost a batch of one a twentieth of its time.
		if u.products != nil {
			u.products(s.m[p*mp:], s.v[p*vp:], weights, scale, u.widestPanels(outputs), c.in, boards, points*vp, points*mp, outputs)
			continue
		}
		for column, vectors := range u.panels(outputs) {
			u.product[vectors](s.m[p*mp+column:], s.v[p*vp:], weights[column*c.in:], scale[column:], c.in, boards, points*vp, points*mp, outputs)
		}
	}
}
