package learn

import (
	"fmt"

	"warren/net"
)

// counterRadix splits a counter into a quotient and a remainder, which are the two
// numbers of its tensor. One float32 would be exact only up to 2^24.
const counterRadix = 1 << 20

// counter returns a tensor that holds a step counter.
func counter(name string, n int64) net.Tensor {
	return net.Tensor{Name: name, Shape: []int{2}, Data: []float32{float32(n / counterRadix), float32(n % counterRadix)}}
}

// count reads a tensor made by counter.
func count(t net.Tensor) (int64, error) {
	if len(t.Data) == 2 {
		high, low := int64(t.Data[0]), int64(t.Data[1])
		if t.Data[0] == float32(high) && t.Data[1] == float32(low) && 0 <= high && high < counterRadix && 0 <= low && low < counterRadix {
			return high*counterRadix + low, nil
		}
	}
	return 0, fmt.Errorf("%s is %v, not a step counter", t.Name, t.Data)
}
