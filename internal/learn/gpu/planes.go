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
	var first firstError
	parallel(len(bits), func(from, to int) {
		for i := from; i < to; i++ {
			if p := packPlanes(x[i*net.InputSize:][:net.InputSize], &bits[i]); p >= 0 {
				first.set(i, fmt.Errorf("position %d of the batch: plane %d has several values, which mixed precision does not allow; learn in fp32", i, p))
				return
			}
		}
	})
	return first.err
}

// firstError is the error with the lowest number of several goroutines.
type firstError struct {
	mu  sync.Mutex
	at  int
	err error
}

func (f *firstError) set(at int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil || at < f.at {
		f.at, f.err = at, err
	}
}

// parallel calls f for parts of n positions on several goroutines.
func parallel(n int, f func(from, to int)) {
	workers := max(1, min(runtime.GOMAXPROCS(0), 8, n/16))
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { f(w*n/workers, (w+1)*n/workers) })
	}
	all.Wait()
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
