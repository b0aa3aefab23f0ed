package gpu

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"warren/net"
)

// bitsSize is the size of a position that the device expands, in numbers of 32 bits.
const bitsSize = int(unsafe.Sizeof(net.Bits{}) / 4)

// planesOf writes the encoded positions x as bits. Every plane of a position must have one value besides 0, as
// net.Encode's have.
func planesOf(x []float32, bits []net.Bits) error {
	workers := min(runtime.GOMAXPROCS(0), 8, (len(bits)+15)/16)
	errs := make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w * len(bits) / workers; i < (w+1)*len(bits)/workers; i++ {
				if p := packPlanes(x[i*net.InputSize:][:net.InputSize], &bits[i]); p >= 0 && errs[w] == nil {
					errs[w] = fmt.Errorf("position %d of the batch: plane %d has several values, which mixed precision does not allow; learn in fp32", i, p)
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// packPlanes writes a position as bits. It returns a plane with several values, or -1.
func packPlanes(x []float32, b *net.Bits) int {
	*b = net.Bits{}
	several := -1
	for square := range 64 {
		for p, v := range (*[net.NumPlanes]float32)(x[square*net.NumPlanes:]) {
			if v == 0 {
				continue
			}
			if b.Squares[p] != 0 && b.Values[p] != v {
				several = p
			}
			b.Squares[p] |= 1 << square
			b.Values[p] = v
		}
	}
	return several
}
