package kernels

// Conv is the shape of a convolution: of 3x3 squares (Taps 9), or of every square alone
// (Taps 1).
type Conv struct {
	In, Out, Taps int
}

// Pack returns the weights of a convolution, [taps][in][out], as its kernel reads them, in
// inputs padded by Channels and outputs padded by Stride.
func (f Form) Pack(c Conv, w []float32) []byte {
	in, stride := f.Channels(c.In), f.Stride(c.Out)
	packed := make([]float32, in*c.Taps*stride)
	for tap := range c.Taps {
		for i := range c.In {
			copy(packed[(i*c.Taps+tap)*stride:], w[(tap*c.In+i)*c.Out:][:c.Out])
		}
	}
	return f.Store(packed)
}

// Stride returns how many outputs those of a convolution are padded to in its weights and
// its bias.
func (f Form) Stride(out int) int { return (out + 31) &^ 31 }
