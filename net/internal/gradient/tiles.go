package gradient

// A board of 8x8 squares is covered by 2x2 tiles of 4x4 outputs, and a tile has
// 6x6 = 36 points. Transformed tensors lie as [point][tile][channel], tile
// being board*4 + 2*(upper half) + (right half), so that each point is one
// plain matrix product over all tiles of the batch.
const (
	points = 36
	tiles  = 4 // of one board
)

// lineSpace is the scratch one board of c channels needs between the two steps
// of a transform.
func lineSpace(c int) int { return 12 * 8 * c }

// boardToTiles transforms board b of x for the product: BT d B for its tiles,
// into v, which has room for boards boards of c channels. line is scratch.
func boardToTiles(x []float32, b, boards, c int, v, line []float32) {
	x = x[b*64*c : (b+1)*64*c]
	row, plane := 8*c, boards*tiles*c
	firstTile(row, x, row, line, row)
	lastTile(row, x[3*row:], row, line[6*row:], row)
	for i := range 12 {
		at := i%6*6*plane + (b*tiles+i/6*2)*c
		firstTile(c, line[i*row:], c, v[at:], plane)
		lastTile(c, line[i*row+3*c:], c, v[at+c:], plane)
	}
}

// tilesToBoardAdjoint is the adjoint of boardToTiles: it sets board b of dx.
func tilesToBoardAdjoint(dv []float32, b, boards, c int, dx, line []float32) {
	dx = dx[b*64*c : (b+1)*64*c]
	row, plane := 8*c, boards*tiles*c
	for i := range 12 {
		at := i%6*6*plane + (b*tiles+i/6*2)*c
		firstTileAdjoint(c, dv[at:], plane, line[i*row:], c)
		lastTileAdjoint(c, dv[at+c:], plane, line[i*row+3*c:], c)
	}
	firstTileAdjoint(row, line, row, dx, row)
	lastTileAdjoint(row, line[6*row:], row, dx[3*row:], row)
}

// tilesToBoard gathers the products m into board b of y: AT m A for its tiles.
func tilesToBoard(m []float32, b, boards, c int, y, line []float32) {
	y = y[b*64*c : (b+1)*64*c]
	row, plane := 8*c, boards*tiles*c
	for i := range 12 {
		at := i%6*6*plane + (b*tiles+i/6*2)*c
		tileOutput(c, m[at:], plane, line[i*row:], c)
		tileOutput(c, m[at+c:], plane, line[i*row+4*c:], c)
	}
	tileOutput(row, line, row, y, row)
	tileOutput(row, line[6*row:], row, y[4*row:], row)
}

// boardToTilesAdjoint is the adjoint of tilesToBoard: board b of g into dm.
func boardToTilesAdjoint(g []float32, b, boards, c int, dm, line []float32) {
	g = g[b*64*c : (b+1)*64*c]
	row, plane := 8*c, boards*tiles*c
	tileOutputAdjoint(row, g, row, line, row)
	tileOutputAdjoint(row, g[4*row:], row, line[6*row:], row)
	for i := range 12 {
		at := i%6*6*plane + (b*tiles+i/6*2)*c
		tileOutputAdjoint(c, line[i*row:], c, dm[at:], plane)
		tileOutputAdjoint(c, line[i*row+4*c:], c, dm[at+c:], plane)
	}
}

// filterToPoints transforms the filters w [3][3][size] to u [36][size]:
// G w GT. line is scratch of 18*size.
func filterToPoints(w []float32, size int, u, line []float32) {
	filterLine(3*size, w, 3*size, line, 3*size)
	for i := range 6 {
		filterLine(size, line[i*3*size:], size, u[i*6*size:], size)
	}
}

// pointsToFilterAdjoint is the adjoint of filterToPoints: du to dw.
func pointsToFilterAdjoint(du []float32, size int, dw, line []float32) {
	for i := range 6 {
		filterLineAdjoint(size, du[i*6*size:], size, line[i*3*size:], size)
	}
	filterLineAdjoint(3*size, line, 3*size, dw, 3*size)
}
