package ampere

import "warren/internal/compute/kernels"

// Pack returns the weights of a convolution, [9 taps][in][channels], as stages: of each 16 inputs the three
// taps of a file, of each of three files. A stage is as kernels.Form lays out the weights of a tap.
func (n Network) Pack(w []float32) []byte {
	tap := len(w) / 9
	var across []float32
	for i := range 9 {
		across = append(across, w[(i%3*3+i/3)*tap:][:tap]...)
	}
	return n.pack(across, 9)
}

// PackFirst returns the weights of the heads' first layers, [channels][width], as a stage for each 16
// inputs, with zeros behind the last output.
func (n Network) PackFirst(w []float32) []byte {
	width := len(w) / n.Channels
	wide := make([]float32, n.Channels*n.Channels)
	for i := range n.Channels {
		copy(wide[i*n.Channels:], w[i*width:][:width])
	}
	return n.pack(wide, 1)
}

func (n Network) pack(w []float32, taps int) []byte {
	shape := kernels.ConvShape{In: len(w) / (taps * n.Channels), Out: n.Channels, Taps: taps}
	return kernels.Form{Half: true, Tensor: true}.Pack(shape, w)
}
