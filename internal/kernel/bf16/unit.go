package bf16

// Unit is one implementation of the loops of the package. The functions in twin.go document
// what they compute.
type Unit struct {
	name     string
	convolve func(*convolution)
	multiply func(*product)
	pool     func(mean, most []float32, x []uint16, square int)
	narrow   func(y []uint16, x []float32, channels, square int)
	double   func(y []uint16, n, every, distance int)
}

// Go returns the plain Go form.
func Go() *Unit {
	return &Unit{name: "go", convolve: convolve, multiply: multiply, pool: pool, narrow: narrow, double: double}
}

// Name returns "amx" or "go".
func (u *Unit) Name() string { return u.name }
