package hopper_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx"
)

// correlation is a layer whose gradient by the weights is computed: of whole numbers, in groups of boards.
type correlation struct {
	in, out int
	groups  [][]int // of threads: boards of their segments
}

// halves returns whole numbers and their bits in bf16.
func halves(r *rand.Rand, n int) (v []float32, bits []byte) {
	for range n {
		x := float32(r.IntN(9) - 4)
		v = append(v, x)
		bits = binary.LittleEndian.AppendUint16(bits, uint16(math.Float32bits(x)>>16))
	}
	return v, bits
}

// run computes the sums of all segments with the kernel in a text, and compares them with direct sums.
func (c correlation) run(text []byte, seed uint64) (differ int, err error) {
	module, err := ptx.Parse(text)
	if err != nil {
		return 0, err
	}
	var segments, firsts []int32
	var ranges [][4]int // of each segment: board, boards, input, output
	board := 0
	firsts = append(firsts, 0)
	for _, group := range c.groups {
		for _, boards := range group {
			i, o := len(ranges)%((c.in+63)/64)*64, len(ranges)/2%((c.out+63)/64)*64
			segments = append(segments, int32(board*64*c.in/8+i/8), int32(c.in/8), int32(min(64, c.in-i)/8),
				int32(board*64*c.out/8+o/8), int32(c.out/8), int32(min(64, c.out-o)/8), int32(boards), int32(9*len(ranges)))
			ranges = append(ranges, [4]int{board, boards, i, o})
			board += boards
		}
		firsts = append(firsts, int32(len(ranges)))
	}
	memory := ptx.NewMemory()
	put := func(b []byte) uint64 {
		at, data := memory.Allocate(len(b))
		copy(data, b)
		return at
	}
	numbers := func(v []int32) (b []byte) {
		for _, n := range v {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
		return b
	}
	r := rand.New(rand.NewPCG(seed, 4))
	x, xBits := halves(r, board*64*c.in)
	g, gBits := halves(r, board*64*c.out)
	partsAt, parts := memory.Allocate(len(ranges) * 9 * hopper.Square * 4)
	err = module.Run(memory, ptx.Launch{
		Kernel: hopper.Outer, Grid: [3]int{len(c.groups), 1, 1}, Threads: hopper.OuterThreads, Shared: hopper.OuterShared, Seed: seed,
		Arguments: []any{put(xBits), put(gBits), partsAt, put(numbers(segments)), put(numbers(firsts))},
	})
	for s, at := range ranges {
		for tap := range 9 {
			for i := range min(64, c.in-at[2]) {
				for o := range min(64, c.out-at[3]) {
					want := float32(0)
					for square := range 64 * at[1] {
						rank, file := square%64/8+tap/3-1, square%8+tap%3-1
						if rank&^7 == 0 && file&^7 == 0 {
							from := at[0]*64 + square/64*64 + rank*8 + file
							want += x[from*c.in+at[2]+i] * g[(at[0]*64+square)*c.out+at[3]+o]
						}
					}
					got := parts[(((s*9+tap)*64+i)*64+o)*4:]
					if math.Float32frombits(binary.LittleEndian.Uint32(got)) != want {
						differ++
					}
				}
			}
		}
	}
	return differ, err
}

// TestOuter runs the kernel for gradients by weights on the interpreter, which reports races, missing fences
// and wrong waits. The sums are exact, so they have the bits of direct ones.
func TestOuter(t *testing.T) {
	text, err := hopper.OuterPTX()
	if err != nil {
		t.Fatal(err)
	}
	if hopper.OuterShared > 227<<10 {
		t.Errorf("a group needs %d bytes of shared memory", hopper.OuterShared)
	}
	for i, c := range []correlation{
		{64, 64, [][]int{{1, 2}}},
		{48, 128, [][]int{{hopper.Slots + 2}, {1, 1, 3}}},
		{80, 16, [][]int{{hopper.Fetched, 2*hopper.Slots + 1}}},
	} {
		if testing.Short() && i > 1 {
			continue
		}
		differ, err := c.run(text, uint64(i))
		if err != nil || differ > 0 {
			t.Errorf("%+v: %d sums differ: %v", c, differ, err)
		}
	}
}

// TestOuterMutations removes or changes synchronizations of the kernel, one at a time. The interpreter must
// report it.
func TestOuterMutations(t *testing.T) {
	text, err := hopper.OuterPTX()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	c := correlation{16, 16, [][]int{{2, hopper.Slots + 1}}}
	tried := 0
	for i, line := range lines {
		for _, other := range mutations(line) {
			if tried++; testing.Short() && tried%8 != 0 {
				continue
			}
			wrong := slices.Clone(lines)
			wrong[i] = other
			var fault *ptx.Fault
			for seed := uint64(0); seed < 8 && fault == nil; seed++ {
				if _, err := c.run([]byte(strings.Join(wrong, "\n")), seed); err != nil && !errors.As(err, &fault) {
					t.Fatalf("line %d: %v", i+1, err)
				}
			}
			if fault == nil {
				t.Errorf("line %d as %q is not reported: %s", i+1, other, line)
			}
		}
	}
	if tried < 25 {
		t.Errorf("only %d mutations", tried)
	}
}
