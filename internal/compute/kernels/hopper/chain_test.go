package hopper_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/kernels/hopper/hoppertest"
	"warren/internal/compute/ptx"
)

// chainRun is a chain with its memory on an interpreter.
type chainRun struct {
	memory  *ptx.Memory
	x       []byte // all boards: what the first step reads, what it adds, and the results
	numbers []byte // sums
	pooled  []byte
	pack    ptx.Launch
	chain   ptx.Launch
	links   []hoppertest.Link
	boards  int
}

func newChainRun(c hopper.Chain, boards, count int, second bool, seed uint64) *chainRun {
	x, residual, links := hoppertest.Links(c, boards, count, second, seed)
	r := &chainRun{memory: ptx.NewMemory(), links: links, boards: boards}
	put := func(b []byte) uint64 {
		at, data := r.memory.Allocate(max(len(b), 16))
		copy(data, b)
		return at
	}
	var steps, layers []uint32
	var weights, boardBias, products []float32
	masks, size := []byte(nil), len(x)/8 // units of boards
	for i, l := range links {
		flags, maskAt, numbersAt := uint32(0), 0, i*c.Channels
		if l.Residual {
			flags |= hopper.Residual
		}
		if l.BoardBias != nil {
			flags |= hopper.PlusBoard
			boardBias = l.BoardBias // of the last one
		}
		if c.Back {
			numbersAt = i * boards * c.Channels
		}
		if l.Mask != nil {
			flags |= hopper.Masked
			maskAt = len(masks) / hopper.Unit
			masks = append(masks, hoppertest.ToBF16(l.Mask)...)
		}
		if l.Product != nil {
			flags |= hopper.Pooled
			products = append(make([]float32, 8), l.Product...)
		}
		if !c.Back && i > 0 && links[i-1].Product != nil {
			flags |= hopper.PlusProduct
		}
		steps = append(steps, uint32(i*c.Packed()), uint32(numbersAt), uint32((2+i)*size), uint32(maskAt), flags, 8, uint32(count*boards*c.Channels), 0)
		back := uint32(0)
		if c.Back {
			back = 1
		}
		layers = append(layers, uint32(len(weights)), uint32(i*c.Packed()), back, 0)
		weights = append(weights, l.Weights...)
	}
	at, all := r.memory.Allocate((2 + count) * size * hopper.Unit)
	copy(all, hoppertest.ToBF16(x))
	copy(all[size*hopper.Unit:], hoppertest.ToBF16(residual))
	r.x = all[2*size*hopper.Unit:]
	var numbers uint64
	if c.Back {
		numbers, r.numbers = r.memory.Allocate(4 * (count + 1) * boards * c.Channels)
		copy(r.numbers[4*count*boards*c.Channels:], kernels.Floats(hoppertest.Sums(c.Channels, x)))
	} else {
		var biases []float32
		for _, l := range links {
			biases = append(biases, l.Bias...)
		}
		numbers = put(kernels.Floats(biases))
	}
	packed, _ := r.memory.Allocate(count * c.Packed() * hopper.Unit)
	r.pack = ptx.Launch{
		Kernel: c.PackKernel(), Grid: [3]int{c.PackGroups(), count, 1}, Threads: hopper.PackThreads, Seed: seed,
		Arguments: []any{put(kernels.Floats(weights)), packed, put(words(layers))},
	}
	var pooled uint64
	pooled, r.pooled = r.memory.Allocate(4 * boards * 2 * c.Channels)
	if c.Back && links[0].Product != nil {
		copy(r.pooled, kernels.Floats(links[0].Pooled))
	}
	residualAt := uint32(0)
	if second {
		residualAt = uint32(size)
	}
	r.chain = ptx.Launch{
		Kernel: c.Kernel(), Grid: [3]int{c.Groups(boards), 1, 1}, Threads: hopper.Threads, Shared: c.Shared(), Seed: seed,
		Arguments: []any{at, put(masks), packed, numbers, put(kernels.Floats(boardBias)), pooled, put(kernels.Floats(products)), put(words(steps)), uint32(0), residualAt, uint32(boards), uint32(count)},
	}
	return r
}

func words(v []uint32) (b []byte) {
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// errOther is the error of a result that is not what it should be.
var errOther = errors.New("other bits than plain Go")

// run runs the kernels, of which one packs and the other computes, and compares the results.
func (r *chainRun) run(chain, pack *ptx.Module) error {
	if err := pack.Run(r.memory, r.pack); err != nil {
		return err
	}
	if err := chain.Run(r.memory, r.chain); err != nil {
		return err
	}
	x, numbers := r.x, r.numbers
	for i, l := range r.links {
		want := hoppertest.ToBF16(l.Result)
		if !bytes.Equal(x[:len(want)], want) {
			return fmt.Errorf("the result of step %d: %w", i, errOther)
		}
		x = x[len(want):]
		if l.Product != nil && !bytes.Equal(r.pooled, kernels.Floats(l.Pooled)) {
			return fmt.Errorf("means and maxima of step %d: %w", i, errOther)
		}
		if r.numbers == nil {
			continue
		}
		if want := kernels.Floats(l.Sums); !bytes.Equal(numbers[:len(want)], want) {
			return fmt.Errorf("the sums of step %d: %w", i, errOther)
		}
		if l.Sums != nil {
			numbers = numbers[4*len(l.Sums):]
		}
	}
	return nil
}

// TestChains runs the kernels on an interpreter that reports races, missing fences and wrong waits, and
// compares all results with plain Go.
func TestChains(t *testing.T) {
	for _, c := range hopper.Chains() {
		t.Run(c.Kernel(), func(t *testing.T) {
			module, err := ptx.Parse(chainText(t, c))
			if err != nil {
				t.Fatal(err)
			}
			for i, of := range []struct {
				boards, count int
				second        bool
			}{{c.Boards(), 3, false}, {c.Boards() + 1, 2, true}, {1, 1, true}, {1, 1, false}, {2*c.Boards() - 1, 4, true}} {
				if i > 1 && (testing.Short() || c.Channels > 128) {
					continue
				}
				if err := newChainRun(c, of.boards, of.count, of.second, uint64(i)).run(module, module); err != nil {
					t.Errorf("%+v: %v", of, err)
				}
			}
		})
	}
}

func chainText(t *testing.T, c hopper.Chain) []byte {
	t.Helper()
	text, err := c.PTX()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clip(text)
}

// entry returns a module with one of the kernels of a text.
func entry(text []byte, kernel string) []byte {
	parts := strings.SplitAfter(string(text), "\n}\n")
	head, _, _ := strings.Cut(parts[0], ".visible")
	for _, p := range parts {
		if strings.Contains(p, ".entry "+kernel+"(") {
			return []byte(head + p[strings.Index(p, ".visible"):])
		}
	}
	return nil
}

// harmlessInChain reports whether a chain may work without the synchronization in a line.
func harmlessInChain(lines []string, i int) bool {
	is := func(word string) bool { return strings.Contains(lines[i], word) }
	switch {
	case is("fence.mbarrier_init"): // the thread's fence.proxy.async does the same
		return true
	case is("try_wait") && strings.HasPrefix(lines[i-2], "\tmov.b32"): // the second ring begins later only to be faster
		return true
	}
	return false
}
