package kernel

import "time"

// Throughput times a convolution with a residual and the given number of input and output
// channels on groups of boards for about d. It returns the speed of its matrix products in
// billions of floating-point operations per second. It counts the operations of Winograd's
// algorithm, which are a quarter of those of the direct convolution.
func (p *Path) Throughput(channels int, d time.Duration) float64 {
	c := NewConv(p, channels, channels)
	x, y := make([]float32, c.group*64*channels), make([]float32, c.group*64*channels)
	packed, bias := make([]float32, c.PackedSize()), make([]float32, channels)
	for i := range x {
		x[i] = float32(i%7) - 3
	}
	var s Scratch
	c.Forward(y, x, packed, bias, x, c.group, &s)
	runs, start := 0, time.Now()
	for time.Since(start) < d {
		c.Forward(y, x, packed, bias, x, c.group, &s)
		runs++
	}
	operations := 2 * float64(points*tiles) * float64(channels*channels*c.group*runs)
	return operations / time.Since(start).Seconds() / 1e9
}
