package hopper

import "warren/internal/compute/kernels"

// Pack returns the weights of a convolution, [9 taps][in][out], as the tower's stages:
// [warpgroup][pass][stage][file][half][output][8 channels] in fp16. With 64 channels both warpgroups
// read the same stages. With more, a warpgroup's stages begin with the channels that it has
// computed itself.
func (t Tower) Pack(w []float32) []byte {
	return t.pack(w, t.Channels, func(group int) int { return group * t.Outputs() / Depth })
}

// PackBytes is Pack for a kernel in bytes, [warpgroup][pass][stage][file][half][output][16 channels].
func (t Tower) PackBytes(w []int8) []byte {
	slices := t.Channels / 32
	packed := make([]byte, len(w))
	for i, v := range w {
		tap, in, out := i/(t.Channels*t.Channels), i/t.Channels%t.Channels, i%t.Channels
		slice := (in/32 + slices - out/t.Outputs()*t.Outputs()/32) % slices
		block := ((out/Rows*slices+slice)*3+tap/3)*3 + tap%3
		unit := (block*2+in/16%2)*Rows + out%Rows
		packed[unit*Unit+in%8*2+in/8%2] = byte(v)
	}
	return packed
}

// PackStem returns the weights of the stem, [9 taps][Planes][out], likewise. Its stages begin with
// the first planes.
func (t Tower) PackStem(w []float32) []byte {
	return t.pack(w, Planes, func(int) int { return 0 })
}

// pack packs a convolution. The stages of a group of outputs begin with slice first of the inputs.
func (t Tower) pack(w []float32, inputs int, first func(group int) int) []byte {
	slices := (inputs + Depth - 1) / Depth
	packed := make([]float32, 9*slices*Depth*t.Channels)
	for tap := range 9 {
		for in := range inputs {
			for out, v := range w[(tap*inputs+in)*t.Channels:][:t.Channels] {
				slice := (in/Depth + slices - first(out/t.Outputs())) % slices
				stage := (out/Rows*slices+slice)*3 + tap/3
				packed[unitOf(stage*3+tap%3, in, out)] = v
			}
		}
	}
	return kernels.Form{Half: true}.Store(packed)
}

// PackFirst returns the weights of the first layers, [channels][width], as stages:
// [16 channels][half][output][8 channels] in fp16, with zeros up to Rows outputs.
func (t Tower) PackFirst(w []float32) []byte {
	packed := make([]float32, t.Channels*Rows)
	width := len(w) / t.Channels
	for i, v := range w {
		in, out := i/width, i%width
		packed[unitOf(in/Depth, in, out)] = v
	}
	return kernels.Form{Half: true}.Store(packed)
}

// unitOf is the place of a weight in a block, the weights of a product.
func unitOf(block, in, out int) int {
	return ((block*2+in/8%2)*Rows+out%Rows)*8 + in%8
}
