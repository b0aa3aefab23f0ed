package kernel

import "time"

// Throughput times a convolution of so many channels on groups of boards, with a
// residual, for about d. It returns the billions of floating-point operations a
// second of its matrix products (Winograd's, a quarter of the direct sum's).
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
