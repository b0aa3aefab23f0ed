//go:build linux && amd64 && !purego

package bf16

import (
	"errors"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// AMX returns the processor's tile unit. The error says why it cannot be used. The first
// call asks Linux for it, for the whole process.
func AMX() (*Unit, error) {
	if err := permitted(); err != nil {
		return nil, err
	}
	return &Unit{name: "amx", convolve: convolveAMX, multiply: multiplyAMX, pool: poolAMX, narrow: narrowAMX, double: doubleAMX}, nil
}

// permitted asks for the permission to use tiles.
//
// Source: Linux, Documentation/arch/x86/xstate.rst.
var permitted = sync.OnceValue(func() error {
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXBF16 || !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512BF16 {
		return errors.New("this processor has no AMX-BF16")
	}
	const kept = 1<<18 | 1<<17 | 1<<7 | 1<<6 | 1<<5 | 1<<2 | 1<<1 // tiles and their shapes, AVX-512, AVX, SSE
	if !cpu.X86.HasOSXSAVE || extendedState()&kept != kept {
		return errors.New("this operating system does not switch on AMX")
	}
	const request, tileData = 0x1023, 18
	if _, _, e := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, request, tileData, 0); e != 0 {
		return errors.New("Linux refuses this process AMX: " + e.Error())
	}
	return nil
})

// shapes configure all tiles to 16 rows of 64 bytes, and those of sums and inputs to 8 rows
// for a board alone.
var shapes = func() (s [3]*[64]byte) {
	for boards := 1; boards <= 2; boards++ {
		b := aligned[byte](64)
		b[0] = 1
		for tile := range 8 {
			b[16+2*tile] = 64
			b[48+tile] = byte(8 * boards)
		}
		b[48+7] = 16 // the weights
		s[boards] = (*[64]byte)(b)
	}
	return s
}()

func convolveAMX(c *convolution) {
	x, y, weights, bias := c.x.of(c.part), c.y.of(c.part), c.weights[:c.tiles()*step*c.out], c.bias[:c.out]
	residual, again, biasRow, biasGroup := 0, 0, 0, 0
	run := [3]func(y, x, weights *uint16, bias *float32, residual int, sums *float32, shapes *byte, groups, outs, steps, skip, xRow, yRow, again, biasRow, biasGroup int){1: amxConv1, 2: amxConv2}
	if c.residual != nil {
		r := c.residual.of(c.part)[:len(y)]
		residual = int(uintptr(unsafe.Pointer(&r[0])) - uintptr(unsafe.Pointer(&y[0])))
		run[1], run[2] = amxConv1Add, amxConv2Add
	}
	if c.y.doubled {
		again = step - 2*c.boards*c.y.channels // bytes from the left channels to their copy
	}
	if c.own {
		biasRow, biasGroup = 4*c.out, 4*8*c.boards*c.out
		bias = c.bias[:c.groups*8*c.boards*c.out]
	}
	run[c.boards](&y[0], &x[0], &weights[0], &bias[0], residual, &c.sums[:sumsSize][0], &shapes[c.boards][0],
		c.groups, c.out/width, c.in/step, c.skip, 2*c.in, 2*c.y.channels, again, biasRow, biasGroup)
}

func multiplyAMX(p *product) {
	run := [3]func(y *float32, x, weights *uint16, shapes *byte, groups, outs, steps, xRow, yRow int){1: amxSquares1, 2: amxSquares2}
	x := p.x.alone
	if p.boards == 2 {
		x = p.x.pairs[p.first/2*2*size*p.in:][:2*size*p.in]
	}
	y, weights := p.y[:64*p.boards*p.out], p.weights[:p.in*p.out]
	run[p.boards](&y[0], &x[0], &weights[0], &shapes[p.boards][0], 1, p.out/width, p.in/step, 2*p.in, 4*p.out)
}

// last is the number of elements from a board's first square to its last.
const last = 7*columns + 7

func poolAMX(mean, most []float32, x []uint16, square int) {
	most, x = most[:len(mean)], x[:last*square+len(mean)]
	amxPool(&mean[0], &most[0], &x[0], len(mean)/width, 2*square)
}

func narrowAMX(y []uint16, x []float32, channels, square int) {
	x, y = x[:64*channels], y[:last*square+roundUp(channels, width)]
	amxNarrow(&y[0], &x[0], channels, 2*square)
}

func doubleAMX(y []uint16, n, every, distance int) {
	y = y[:(n-1)*every+max(distance+step/2, step)]
	amxDouble(&y[0], n, 2*every, 2*distance)
}
