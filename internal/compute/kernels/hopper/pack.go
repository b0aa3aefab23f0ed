package hopper

import "warren/internal/compute/kernels"

// Pack returns the weights of a convolution, [9 taps][in][out], as the tower's stages:
// [warpgroup][pass][stage][file][half][output][8 channels] in fp16. With 64 channels both warpgroups
// read the same stages. With more, a warpgroup's stages begin with the channels that it has
// computed itself.
func (t Tower) Pack(w []float32) []byte {
	packed := make([]float32, len(w))
	slices := t.Channels / Depth
	for tap := range 9 {
		for in := range t.Channels {
			for out, v := range w[(tap*t.Channels+in)*t.Channels:][:t.Channels] {
				slice := (in/Depth + slices - out/t.Outputs()*t.Outputs()/Depth) % slices
				stage := (out/Rows*slices+slice)*3 + tap/3
				packed[((stage*3+tap%3)*2+in/8%2)*Rows*8+out%Rows*8+in%8] = v
			}
		}
	}
	return kernels.Form{Half: true}.Store(packed)
}
