package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// packing writes the kernel that packs weights for chains, in the order of a tower's. A group packs a
// product, and a thread 8 inputs of an output.
func packing(c hopper.Chain) *write.Kernel {
	k := write.New(c.PackKernel(), hopper.PackThreads)
	weights, packed, layers := k.Pointer("weights"), k.Pointer("packed"), k.Pointer("layers")
	thread, product := k.Thread(), k.Group()
	layer := k.Beyond(layers, k.GroupY(), hopper.LayerSize*4)
	from, to := k.Beyond(weights, k.Load4(layer, 0), 4), k.Beyond(packed, k.Load4(layer, 4), hopper.Unit)
	k.Advance(to, product, hopper.Block)
	k.Advance(to, thread, hopper.Unit)

	third := func(a write.U32) write.U32 { return k.Right(k.Mul(a, write.Int(21846)), write.Int(16)) } // of less than 2^15
	row, half := k.And(thread, write.Int(hopper.Rows-1)), k.Right(thread, write.Int(6))
	stage := third(product)
	file := k.Sub(product, k.Mul(stage, write.Int(3)))
	tile := k.Copy(write.Int(0))
	if c.Tiles() > 1 {
		tile = k.And(stage, write.Int(1))
		stage = k.Right(stage, write.Int(1))
	}
	slice := third(stage)
	rank := k.Sub(stage, k.Mul(slice, write.Int(3)))
	slices := c.Channels / hopper.Depth
	part := k.Right(slice, write.Int(map[int]int{64: 2, 128: 3, 256: 4}[c.Channels]))
	slice = k.And(k.MulAdd(part, write.Int(c.Tiles()*hopper.Rows/hopper.Depth), slice), write.Int(slices-1))
	tap := k.MulAdd(rank, write.Int(3), file)
	input := k.MulAdd(slice, write.Int(hopper.Depth), k.Left(half, write.Int(3)))
	output := k.MulAdd(part, write.Int(c.Tiles()*hopper.Rows), k.MulAdd(tile, write.Int(hopper.Rows), row))

	// pack packs what lies step numbers apart from a place.
	pack := func(place write.U32, step int) {
		at := k.Beyond(from, place, 4)
		out := k.U32s(4)
		for i := range out {
			k.ToBF16(out[i], k.LoadF(at, write.Int(2*i*step*4)), k.LoadF(at, write.Int((2*i+1)*step*4)))
		}
		k.Store16(to, 0, out)
	}
	back, end := k.Label("back"), k.Label("end")
	k.JumpIf(k.NotEqual(k.Load4(layer, 8), write.Int(0)), back)
	pack(k.MulAdd(k.MulAdd(tap, write.Int(c.Channels), input), write.Int(c.Channels), output), c.Channels)
	k.Jump(end)
	k.Place(back)
	reversed := k.Sub(k.Copy(write.Int(8)), tap)
	pack(k.MulAdd(k.MulAdd(reversed, write.Int(c.Channels), output), write.Int(c.Channels), input), 1)
	k.Place(end)
	k.Return()
	return k
}
