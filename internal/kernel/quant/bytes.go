package quant

import "unsafe"

// Some instructions only multiply bytes, but many at a time: those of tiles (AMX) and of arm64's
// FEAT_I8MM. A whole number of 16 bits is 256 times its high byte, which has a sign, plus its low byte,
// which has none, so a product of two is a sum of four products of bytes:
//
//	x*w = 65536*xh*wh + 256*(xh*wl + xl*wh) + xl*wl
//
// Each of the four is summed by itself in 32 bits, in which even the sums of the largest, xl*wl, have
// room for 33,000 inputs. What is added up at the end may wrap around, but its result does not, because
// that is the sum that bounds.go bounds: the bits are those of product.

// byBytes are the loops of a unit that multiplies bytes in convolutions.
type byBytes struct {
	multiply func(*pointProducts)
	pack     func(packed, rows []int16, k, n int) // as packTiles, or otherwise
	inputs   int                                  // their number must be a multiple of it
	group    int                                  // boards that go through at once, 0 for as many as elsewhere
}

// chunk is the number of bytes in the row of a tile.
const chunk = 64

// tileBytes is the size of a tile: 16 rows of inputs, weights or sums.
const tileBytes = 16 * chunk

// inBytes reports whether the unit multiplies k inputs by the weights of all points in bytes.
func (u *Unit) inBytes(k int) bool { return u.bytes != nil && k%u.bytes.inputs == 0 }

// pointProducts are products of the points of transformed boards by n outputs, one for each point. A
// block is the four rows of a board. Distances are in elements.
type pointProducts struct {
	c              []float32 // at a point: blocks of [4][n]
	a              []int16   // blocks of [4][k]
	b              []int16   // [points][n/16][k/64][high, low][tile], or as the unit has them
	scale          []float32 // [points][n]
	k, n, blocks   int
	aPoint, cPoint int    // between points
	aBlock, cBlock int    // and blocks
	work           []byte // of workBytes(k, blocks)
}

// workBytes is the size of the memory that units need for k inputs of so many blocks: four tiles of sums,
// and the bytes of all rows, of 16 at least.
func workBytes(k, blocks int) int { return 4*tileBytes + 2*k*4*max(blocks, 4) }

// aligned returns memory that starts at a line of the cache, which makes tiles faster.
func aligned(n int) []byte {
	s := make([]byte, n+chunk)
	skip := int(-uintptr(unsafe.Pointer(&s[0])) % chunk)
	return s[skip:][:n:n]
}

// split returns the low bytes of two numbers and the high bytes, as whole numbers of two bytes.
func split(x, y int16) (low, high int16) { return x&0xFF | y<<8, x>>8&0xFF | y&^0xFF }

// packTiles lays out the rows of a matrix, [n][k], one for each column of the product. A tile has 16
// columns and 64 inputs, [inputs/4][column][inputs%4]. Two neighbours there are inputs which are 32
// apart, as split leaves those of a row.
func packTiles(packed, rows []int16, k, n int) {
	const tile = tileBytes / 2
	for o := range n {
		for i := 0; i < k; i += chunk {
			to, row := packed[o/16*16*k+i/chunk*2*tile:], rows[o*k+i:][:chunk]
			for j, w := range row[:chunk/2] {
				at := (j/2*16+o%16)*2 + j%2
				to[tile+at], to[at] = split(w, row[j+chunk/2])
			}
		}
	}
}

// bytesProduct specifies what the assembly for the tile unit computes. That for arm64 computes the same, with
// its weights packed otherwise.
func bytesProduct(p *pointProducts) {
	const tile = tileBytes / 2
	for point := range points {
		for i := range 4 * p.blocks {
			row := p.a[point*p.aPoint+i/4*p.aBlock+i%4*p.k:][:p.k]
			for o := range p.n {
				var highHigh, highLow, lowHigh, lowLow int32
				b := p.b[(point*p.n+o/16*16)*p.k:]
				for j := 0; j < p.k/2; j++ {
					from, at := j/32*chunk+j%32, j/32*2*tile+(j%32/2*16+o%16)*2+j%2
					low, high := split(row[from], row[from+chunk/2])
					for shift := 0; shift <= 8; shift += 8 { // two bytes
						xl, xh := int32(uint8(low>>shift)), int32(int8(high>>shift))
						wl, wh := int32(uint8(b[tile+at]>>shift)), int32(int8(b[at]>>shift))
						highHigh += xh * wh
						highLow += xh * wl
						lowHigh += xl * wh
						lowLow += xl * wl
					}
				}
				sum := (highHigh<<8+highLow+lowHigh)<<8 + lowLow
				p.c[point*p.cPoint+i/4*p.cBlock+i%4*p.n+o] = float32(sum) * p.scale[point*p.n+o]
			}
		}
	}
}

// bytesRoutine is the assembly of bytesProduct for groups of 1 to 4 blocks, which are the rows of a tile.
// Distances are in bytes.
type bytesRoutine func(c *float32, a, b *int16, scale *float32, work, shapes *byte, points, groups, blocks, outs, chunks, aPoint, aBlock, cPoint, cBlock, cRow int)

// inGroups runs the routine for groups of four blocks, and for those that are left.
func inGroups(p *pointProducts, run bytesRoutine) {
	b, scale, work := p.b[:points*p.n*p.k], p.scale[:points*p.n], p.work[:workBytes(p.k, 4)]
	group := func(first, groups, blocks int) {
		if groups == 0 || blocks == 0 {
			return
		}
		a, c, last := p.a[first*p.aBlock:], p.c[first*p.cBlock:], groups*blocks-1
		a, c = a[:(points-1)*p.aPoint+last*p.aBlock+4*p.k], c[:(points-1)*p.cPoint+last*p.cBlock+4*p.n]
		run(&c[0], &a[0], &b[0], &scale[0], &work[0], &shapes[blocks][0],
			points, groups, blocks, p.n/16, p.k/chunk, 2*p.aPoint, 2*p.aBlock, 4*p.cPoint, 4*p.cBlock, 4*p.n)
	}
	group(0, p.blocks/4, 4)
	group(p.blocks&^3, 1, p.blocks%4)
}

// shapes configure the tiles for the rows of 1 to 4 blocks. The weights have 16 rows.
var shapes = func() (s [5]*[tileShapes]byte) {
	for blocks := 1; blocks <= 4; blocks++ {
		b := (*[tileShapes]byte)(aligned(tileShapes))
		b[0] = 1
		for tile := range 8 {
			b[16+2*tile] = chunk
			b[48+tile] = byte(4 * blocks)
		}
		b[48+6], b[48+7] = 16, 16
		s[blocks] = b
	}
	return s
}()

// tileShapes is the size of a configuration of tiles.
const tileShapes = 64
