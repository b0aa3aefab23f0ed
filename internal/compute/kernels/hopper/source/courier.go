package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// courier is a warp that copies results of a warpgroup to global memory, and masks to shared memory. Its
// lanes have 8 octets of channels of four files on a rank, so arranged that memory gets whole lines and
// shared memory no conflicts.
type courier struct {
	*chain
	set, first write.U32 // board
	channel    write.U32 // in units
	file       write.U32
	places     [2]write.U32 // buffer: the lane's first unit in shared memory
}

// carry copies what belongs to every step. The mask of a step comes to where its result will be.
func (k *chain) carry() {
	k.Note("results and masks")
	half, set := k.halfAndSet()
	c := &courier{chain: k, set: set, first: k.firstBoard(set)}
	low, high := k.And(k.lane, write.Int(7)), k.Right(k.lane, write.Int(3))
	together := 8 / k.Each // octets in 8 lanes
	c.channel = k.MulAdd(k.And(high, write.Int(k.Each-1)), write.Int(together), k.And(low, write.Int(together-1)))
	c.channel = k.MulAdd(half, write.Int(8*k.Tiles()), c.channel)
	log := map[int]write.Int{1: 0, 2: 1, 4: 2, 8: 3}
	c.file = k.MulAdd(k.Right(high, log[k.Each]), write.Int(k.Each), k.Right(low, log[together]))
	unit := k.MulAdd(c.channel, write.Int(k.Octet()), c.file)
	at := k.MulAdd(unit, write.Int(hopper.Unit), k.MulAdd(set, write.Int(k.Activations()), k.shared))
	for b := range c.places {
		c.places[b] = k.Add(at, write.Int(k.First()*hopper.Unit+k.Buffer(b)))
	}
	step, odd := k.NewU64(), k.Copy(write.Int(0))
	k.SetAddress(step, k.steps)
	first := k.Copy(write.Int(1))
	k.Repeat("carry", k.count, func() {
		k.awaitResult()
		if k.Back {
			k.If(k.NotEqual(k.And(k.Load4(step, flagsOf), write.Int(hopper.Masked)), write.Int(0)), func() {
				c.masks(c.global(k.mask, k.Load4(step, maskOf)), c.place(odd, 1))
			})
		}
		k.If(k.Equal(first, write.Int(0)), func() {
			c.results(c.global(k.x, k.Load4(step, resultOf-hopper.StepSize*4)), c.place(odd, 0))
		})
		k.Set(first, write.Int(0))
		if k.Back {
			k.EndCopies()
			k.AwaitCopies(0)
		}
		k.Arrive(k.Add(k.part, loaded), warpgroup+warp)
		k.Skip(step, hopper.StepSize*4)
		k.Flip(odd, write.Int(1))
	})
	k.awaitResult()
	c.results(c.global(k.x, k.Load4(step, resultOf-hopper.StepSize*4)), c.place(odd, 0))
}

// awaitResult waits for all who wrote a result that was made of the same boards.
func (k *chain) awaitResult() {
	if k.split() {
		k.Sync(written, consumers+2*warp)
	} else {
		k.Sync(k.Add(k.part, written), warpgroup+warp)
	}
}

// place is that of the buffer that the next step reads (other = 0) or writes (1).
func (c *courier) place(odd write.U32, other int) write.U32 {
	return c.Choose(c.NotEqual(odd, write.Int(0)), c.places[1-other], c.places[other])
}

// global is the lane's first unit of boards at a place in global memory.
func (c *courier) global(boards write.U64, place write.U32) write.U64 {
	at := c.Beyond(boards, place, hopper.Unit)
	c.Advance(at, c.first, write.Int(64*c.Channels*2))
	c.Advance(at, c.file, write.Int(c.Channels*2))
	c.Advance(at, c.channel, hopper.Unit)
	return at
}

// pieces calls copy for the units of the lane, some at a time.
func (c *courier) pieces(copy func(shared, global []write.Int)) {
	for b := range c.Each {
		c.If(c.Less(c.Add(c.first, write.Int(b)), c.boards), func() {
			for part := range 2 * c.Tiles() {
				tile, first := part/2*8, part%2*4 // octet, rank
				var shared, global []write.Int
				for i := range 8 {
					rank, file := first+i/2, i%2*4
					shared = append(shared, write.Int((tile*c.Octet()+rank*c.Ranks()+b*hopper.Rank+file)*hopper.Unit))
					global = append(global, write.Int((b*64+rank*8+file)*c.Channels*2+tile*hopper.Unit))
				}
				copy(shared, global)
			}
		})
	}
}

// results copies a result to global memory.
func (c *courier) results(global write.U64, shared write.U32) {
	c.pieces(func(from, to []write.Int) {
		var units [][]write.U32
		for _, at := range from {
			units = append(units, c.Read16(shared, at))
		}
		for i, v := range units {
			c.Store16(global, to[i], v)
		}
	})
}

// masks begins to copy a mask to shared memory.
func (c *courier) masks(global write.U64, shared write.U32) {
	c.pieces(func(to, from []write.Int) {
		for i := range to {
			c.CopyAsync(shared, to[i], global, from[i])
		}
	})
}
