package kernel

// These are the transforms of Winograd's minimal filtering F(4x4, 3x3) (Lavin and Gray 2016,
// "Fast algorithms for convolutional neural networks", sec. 4). It computes an output tile of
// 4x4 squares from an input tile of 6x6 squares with 36 multiplications per pair of channels
// instead of 144. Four tiles cover a board, the two southern tiles first. The squares around
// the board count as zero.
//
// A transformed board has the layout [point][tile][channel]. The parameter point is the
// distance between points in elements; see pointStride.

const (
	points = 36 // points of a transformed tile, 6x6
	tiles  = 4  // tiles of a board
)

// lineSize is the number of elements of the scratch memory of a transform.
const lineSize = 96 * 16

// spread is one dimension of the input transform, the transpose of B of F(4,3).
func spread(d0, d1, d2, d3, d4, d5 float32) (t0, t1, t2, t3, t4, t5 float32) {
	a, b := d4-4*d2, d3-4*d1
	c, e := d4-d2, 2*(d3-d1)
	return 4*d0 - float32(5*d2) + d4, a + b, a - b, c + e, c - e, 4*d1 - float32(5*d3) + d5
}

// spreadAdjoint is the adjoint of spread.
func spreadAdjoint(t0, t1, t2, t3, t4, t5 float32) (d0, d1, d2, d3, d4, d5 float32) {
	p, q := t1+t2, t1-t2
	r, e := t3+t4, 2*(t3-t4)
	return 4 * t0, 4*(t5-q) - e, -5*t0 - 4*p - r, q + e - 5*t5, t0 + p + r, t5
}

// gather is one dimension of the output transform, the transpose of A of F(4,3).
func gather(t0, t1, t2, t3, t4, t5 float32) (y0, y1, y2, y3 float32) {
	a, b := t1+t2, t1-t2
	c, e := t3+t4, t3-t4
	return t0 + a + c, b + 2*e, a + 4*c, b + 8*e + t5
}

// gatherAdjoint is the adjoint of gather.
func gatherAdjoint(y0, y1, y2, y3 float32) (t0, t1, t2, t3, t4, t5 float32) {
	p, q := y0+y2, y1+y3
	r, s := y0+4*y2, 2*(y1+4*y3)
	return y0, p + q, p - q, r + s, r - s, y3
}

// input transforms a board x, [64][channels], into v.
func input(v, x, _ []float32, channels, point int) {
	var s [2][6][8]float32 // [row of tiles][transformed rank][file]
	row := 8 * channels
	for c := range channels {
		for f := range 8 {
			p := x[f*channels+c:]
			r3, r4 := p[3*row], p[4*row]
			s[0][0][f], s[0][1][f], s[0][2][f], s[0][3][f], s[0][4][f], s[0][5][f] = spread(0, p[0], p[row], p[2*row], r3, r4)
			s[1][0][f], s[1][1][f], s[1][2][f], s[1][3][f], s[1][4][f], s[1][5][f] = spread(r3, r4, p[5*row], p[6*row], p[7*row], 0)
		}
		for ty := range 2 {
			for i := range 6 {
				q := &s[ty][i]
				o := v[6*i*point+2*ty*channels+c:]
				o[0], o[point], o[2*point], o[3*point], o[4*point], o[5*point] = spread(0, q[0], q[1], q[2], q[3], q[4])
				o = o[channels:]
				o[0], o[point], o[2*point], o[3*point], o[4*point], o[5*point] = spread(q[3], q[4], q[5], q[6], q[7], 0)
			}
		}
	}
}

// inputAdjoint is the adjoint of input. It sets the board dx from dv.
func inputAdjoint(dx, dv, _ []float32, channels, point int) {
	var s [2][6][8]float32
	row := 8 * channels
	for c := range channels {
		for ty := range 2 {
			for i := range 6 {
				q := &s[ty][i]
				o := dv[6*i*point+2*ty*channels+c:]
				_, q[0], q[1], q[2], q[3], q[4] = spreadAdjoint(o[0], o[point], o[2*point], o[3*point], o[4*point], o[5*point])
				o = o[channels:]
				d0, d1, d2, d3, d4, _ := spreadAdjoint(o[0], o[point], o[2*point], o[3*point], o[4*point], o[5*point])
				q[3] += d0
				q[4] += d1
				q[5], q[6], q[7] = d2, d3, d4
			}
		}
		for f := range 8 {
			p := dx[f*channels+c:]
			_, d1, d2, d3, d4, d5 := spreadAdjoint(s[0][0][f], s[0][1][f], s[0][2][f], s[0][3][f], s[0][4][f], s[0][5][f])
			e0, e1, e2, e3, e4, _ := spreadAdjoint(s[1][0][f], s[1][1][f], s[1][2][f], s[1][3][f], s[1][4][f], s[1][5][f])
			p[0], p[row], p[2*row], p[3*row], p[4*row] = d1, d2, d3, d4+e0, d5+e1
			p[5*row], p[6*row], p[7*row] = e2, e3, e4
		}
	}
}

// output transforms m to the board y, [64][channels], adds bias and applies ReLU.
func output(y, m, bias, line []float32, channels, point int) {
	outputAdd(y, m, bias, nil, line, channels, point)
}

// outputAdd is like output, but adds a residual before the ReLU. The residual has the shape of y
// and may be y itself.
func outputAdd(y, m, bias, residual, _ []float32, channels, point int) {
	var s [6][4]float32 // [transformed file][rank]
	for c, b := range bias[:channels] {
		for t := range tiles {
			for j := range 6 {
				p := m[j*point+t*channels+c:]
				s[j][0], s[j][1], s[j][2], s[j][3] = gather(p[0], p[6*point], p[12*point], p[18*point], p[24*point], p[30*point])
			}
			at := ((t/2)*32+(t%2)*4)*channels + c
			for r := range 4 {
				y0, y1, y2, y3 := gather(s[0][r], s[1][r], s[2][r], s[3][r], s[4][r], s[5][r])
				y0, y1, y2, y3 = y0+b, y1+b, y2+b, y3+b
				if residual != nil {
					p := residual[at:]
					y0 += p[0]
					y1 += p[channels]
					y2 += p[2*channels]
					y3 += p[3*channels]
				}
				p := y[at:]
				p[0], p[channels], p[2*channels], p[3*channels] = max(0, y0), max(0, y1), max(0, y2), max(0, y3)
				at += 8 * channels
			}
		}
	}
}

// outputAdjoint sets the board g to dy where y is greater than zero and to 0 elsewhere. It sets
// sum, [channels], to the sums of g over the squares, and dm to the adjoint of the output
// transform applied to g. The boards g and dy may be the same.
func outputAdjoint(dm, g, sum, dy, y, _ []float32, channels, point int) {
	var s [4][6]float32 // [rank][transformed file]
	for c := range channels {
		total := float32(0)
		for t := range tiles {
			at := ((t/2)*32+(t%2)*4)*channels + c
			for r := range 4 {
				var d [4]float32
				for f := range d {
					i := at + f*channels
					d[f] = Passed(y[i], dy[i])
					g[i] = d[f]
					total += d[f]
				}
				s[r][0], s[r][1], s[r][2], s[r][3], s[r][4], s[r][5] = gatherAdjoint(d[0], d[1], d[2], d[3])
				at += 8 * channels
			}
			for j := range 6 {
				p := dm[j*point+t*channels+c:]
				p[0], p[6*point], p[12*point], p[18*point], p[24*point], p[30*point] = gatherAdjoint(s[0][j], s[1][j], s[2][j], s[3][j])
			}
		}
		sum[c] = total
	}
}
