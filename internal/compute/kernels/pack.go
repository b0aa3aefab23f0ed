package kernels

// ConvShape is the shape of a convolution: of 3x3 squares (Taps 9), or of every square alone
// (Taps 1).
type ConvShape struct {
	In, Out, Taps int
}

// Stride returns how many outputs those of a convolution are padded to in its weights and
// its bias.
func (f Form) Stride(out int) int { return (out + 31) &^ 31 }

// Pack returns the weights of a convolution, [taps][in][out], as its kernel reads them, in
// inputs padded by Channels and outputs padded by Stride.
func (f Form) Pack(c ConvShape, w []float32) []byte {
	packed := make([]float32, f.Channels(c.In)*c.Taps*f.Stride(c.Out))
	place := f.row
	if f.Tensor {
		place = f.fragment
	}
	for tap := range c.Taps {
		for i := range c.In {
			for o, v := range w[(tap*c.In+i)*c.Out:][:c.Out] {
				packed[place(c, tap, i, o)] = v
			}
		}
	}
	return f.Store(packed)
}

// row is the place of a weight in [in][taps][stride].
func (f Form) row(c ConvShape, tap, i, o int) int { return (i*c.Taps+tap)*f.Stride(c.Out) + o }

// fragment is the place of a weight in the fragments of tensor cores, which fragments.cl
// describes.
func (f Form) fragment(c ConvShape, tap, i, o int) int {
	// Of 16 inputs and 16 outputs: the lane of output g and inputs 2t, 2t+1, 2t+8, 2t+9
	// has a word for the first two and one for the others, for each 8 outputs.
	g, t := o%8, i%8/2
	lane, word := 4*g+t, o%16/8*2+i%16/8
	return ((((i/16)*c.Taps+tap)*(f.Stride(c.Out)/16)+o/16)*32+lane)*8 + word*2 + i%2
}
