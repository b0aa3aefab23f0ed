package kernels

import (
	"fmt"
	"math"
	"reflect"

	"warren/internal/compute"
)

// Call is a kernel with its arguments. It is a struct whose fields are the kernel's parameters: a
// compute.Buffer where the kernel takes memory; an int, or a bool that the kernel sees as 0 or 1,
// where it takes a number; a compute.Local for memory of each work group. A test compares the fields with the sources.
type Call interface {
	// kernel returns the name of the kernel and the number of items in a work group.
	kernel() (name string, group int)
}

// items is the number of items in a work group, except on tensor cores.
const items = 64

// New returns the kernel of a call with its arguments. The error names the argument if memory is
// missing or a number does not fit 32 bits.
func New(c compute.Context, call Call) (compute.Kernel, error) {
	name, group := call.kernel()
	var args []any
	fields := reflect.ValueOf(call)
	for i := range fields.NumField() {
		parameter := fields.Type().Field(i).Name
		switch v := fields.Field(i).Interface().(type) {
		case nil:
			return nil, fmt.Errorf("the kernel %s: the memory %s is missing", name, parameter)
		case compute.Buffer:
			args = append(args, v)
		case int:
			if v < math.MinInt32 || v > math.MaxInt32 {
				return nil, fmt.Errorf("the kernel %s: %s is %d, which does not fit 32 bits", name, parameter, v)
			}
			args = append(args, int32(v))
		case bool:
			number := int32(0)
			if v {
				number = 1
			}
			args = append(args, number)
		case compute.Local:
			args = append(args, v)
		}
	}
	return c.Kernel(name, group, args...)
}
