package ptx

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Launch says how a kernel runs.
type Launch struct {
	Kernel    string
	Grid      [3]int // blocks
	Threads   int    // of a block
	Shared    int    // bytes of dynamic shared memory
	Arguments []any  // uint64 addresses, and int32 or uint32 numbers
	// Seed chooses an order of everything that has none.
	Seed uint64
}

// maxShared is what a block of compute capability 9.0 can have.
const maxShared = 232448

// Run runs a kernel over a grid, one block after the other in an order that the seed chooses. The
// error is a *Fault if the kernel made it.
func (m *Module) Run(memory *Memory, l Launch) error {
	if err := m.check(l); err != nil {
		return err
	}
	k := m.kernels[l.Kernel]
	params, err := k.pack(l.Arguments)
	if err != nil {
		return fmt.Errorf("kernel %s: %w", l.Kernel, err)
	}
	memory.launches++
	for _, i := range rand.New(rand.NewPCG(l.Seed, 0)).Perm(l.Grid[0] * l.Grid[1] * l.Grid[2]) {
		at := [3]int{i % l.Grid[0], i / l.Grid[0] % l.Grid[1], i / l.Grid[0] / l.Grid[1]}
		if err := newBlock(memory, k, &l, params, at).run(); err != nil {
			return err
		}
	}
	return nil
}

// check checks what does not depend on the grid.
func (m *Module) check(l Launch) error {
	k := m.kernels[l.Kernel]
	if k == nil {
		return fmt.Errorf("the module has no kernel %q", l.Kernel)
	}
	if _, err := k.pack(l.Arguments); err != nil {
		return fmt.Errorf("kernel %s: %w", l.Kernel, err)
	}
	most := 1024
	if k.threads > 0 {
		most = k.threads
	}
	switch {
	case l.Threads < 1 || l.Threads > most:
		return fmt.Errorf("kernel %s: blocks of %d threads, and at most %d are possible", l.Kernel, l.Threads, most)
	case l.Shared > 0 && !k.dynamic:
		return fmt.Errorf("kernel %s has no dynamic shared memory", l.Kernel)
	case k.static+l.Shared > maxShared:
		return fmt.Errorf("kernel %s: %d bytes of shared memory, and at most %d are possible", l.Kernel, k.static+l.Shared, maxShared)
	}
	return nil
}

// pack lays the arguments out as the kernel's parameters.
func (k *kernel) pack(arguments []any) ([]byte, error) {
	if len(arguments) != len(k.order) {
		return nil, fmt.Errorf("%d arguments, and it has %d parameters", len(arguments), len(k.order))
	}
	params := make([]byte, k.parameterBytes)
	for i, name := range k.order {
		p := k.parameters[name]
		at := params[p.offset:]
		switch v := arguments[i].(type) {
		case uint64:
			if p.size != 8 {
				return nil, fmt.Errorf("argument %d is an address, and the parameter %s has %d bytes", i, name, p.size)
			}
			binary.LittleEndian.PutUint64(at, v)
		case int32, uint32:
			if p.size != 4 {
				return nil, fmt.Errorf("argument %d is a number of 32 bits, and the parameter %s has %d bytes", i, name, p.size)
			}
			n, ok := v.(uint32)
			if !ok {
				n = uint32(v.(int32))
			}
			binary.LittleEndian.PutUint32(at, n)
		default:
			return nil, fmt.Errorf("argument %d is a %T", i, v)
		}
	}
	return params, nil
}
