package hopper_test

import (
	"flag"
	"regexp"
	"strconv"
	"testing"

	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/kernels/hopper/source"
	"warren/internal/compute/ptx"
)

var update = flag.Bool("update", false, "write the PTX")

func towers(t *testing.T) []hopper.Tower {
	t.Helper()
	var all []hopper.Tower
	for channels := range 513 {
		if tower, ok := hopper.TowerOf(channels); ok {
			all = append(all, tower, tower.Network())
		}
	}
	if len(all) < 4 {
		t.Fatalf("there are %d towers", len(all))
	}
	return all
}

// TestPTX compares the PTX with what package source writes.
func TestPTX(t *testing.T) {
	for _, m := range modules(t) {
		ptx.Compare(t, m.file, m.text, []byte(m.source), *update)
	}
}

// module is the file of a kernel, and what it should contain.
type module struct {
	file, source string
	text         func() ([]byte, error)
	threads      int
}

func modules(t *testing.T) []module {
	t.Helper()
	all := []module{{hopper.OuterFile, source.Outer(), hopper.OuterPTX, hopper.OuterThreads}}
	for _, tower := range append(towers(t), byteTowers(t)...) {
		all = append(all, module{tower.File(), source.Tower(tower), tower.PTX, hopper.Threads})
	}
	for _, c := range hopper.Chains() {
		if !c.Back {
			all = append(all, module{c.File(), source.Chain(c), c.PTX, hopper.Threads})
		}
	}
	return all
}

func TestAssembler(t *testing.T) {
	for _, m := range modules(t) {
		text, err := m.text()
		if err != nil {
			t.Fatal(err)
		}
		ptx.Assemble(t, m.file, text, "sm_90a", 65536/m.threads&^7)
	}
}

// TestShared compares what a group of threads needs with what a device of compute capability 9.0 has:
// 227 KB of shared memory, of which descriptors reach 256 KB, and 65,536 registers.
func TestShared(t *testing.T) {
	for _, tower := range append(towers(t), byteTowers(t)...) {
		if got := tower.Shared(); got > 227<<10 {
			t.Errorf("%s needs %d bytes of shared memory", tower.Kernel, got)
		}
		for name, place := range map[string]int{
			"buffer": tower.Buffer(1), "ring": tower.Ring(), "barriers": tower.Barriers(), "pooled": tower.Pooled(), "biases": tower.Biases(),
		} {
			if place%16 != 0 {
				t.Errorf("%s: the place of the %s is %d", tower.Kernel, name, place)
			}
		}
		text := source.Tower(tower)
		registers := 0
		for _, m := range regexp.MustCompile(`setmaxnreg\.(\w+)\.sync\.aligned\.u32 (\d+)`).FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(m[2])
			if m[1] == "inc" {
				n *= 2
			}
			registers += 128 * n
		}
		if most := 65536 / hopper.Threads &^ 7 * hopper.Threads; registers == 0 || registers > most {
			t.Errorf("%s has %d registers, want at most %d", tower.Kernel, registers, most)
		}
	}
}

// TestPack compares packed weights with their description, a number at a time.
func TestPack(t *testing.T) {
	for _, tower := range towers(t) {
		c := tower.Channels
		packed := kernels.FromHalves(tower.Pack(counted(9 * c * c)))
		stem := kernels.FromHalves(tower.PackStem(counted(9 * hopper.Planes * c)))
		stages := func(numbers []float32, inputs, slices, begin int) {
			for group := range c / tower.Outputs() {
				for pass := range tower.Passes() {
					for stage := range slices * 3 {
						for file := range 3 {
							slice := (stage/3 + group*begin) % slices
							out := group*tower.Outputs() + pass*64
							numbers = block(t, tower, numbers, func(k, row int) float32 {
								if slice*16+k >= inputs {
									return 0
								}
								return value(((stage%3*3+file)*inputs+slice*16+k)*c + out + row)
							})
						}
					}
				}
			}
			if len(numbers) > 0 {
				t.Errorf("%s: %d numbers too many", tower.Kernel, len(numbers))
			}
		}
		stages(packed, c, c/16, tower.Outputs()/16)
		stages(stem, hopper.Planes, 3, 0)
		const width = 48
		first := kernels.FromHalves(tower.PackFirst(counted(c * width)))
		for slice := range c / 16 {
			first = block(t, tower, first, func(k, row int) float32 {
				if row >= width {
					return 0
				}
				return value((slice*16+k)*width + row)
			})
		}
		if len(first) > 0 {
			t.Errorf("%s: %d numbers too many", tower.Kernel, len(first))
		}
	}
}

// counted returns n numbers that differ from their neighbours and are exact in fp16.
func counted(n int) []float32 {
	w := make([]float32, n)
	for i := range w {
		w[i] = value(i)
	}
	return w
}

func value(i int) float32 { return float32(i%2039 - 1000) }

// block checks the weights of one product, [half][64 rows][8], and returns the numbers behind them.
func block(t *testing.T, tower hopper.Tower, numbers []float32, want func(k, row int) float32) []float32 {
	t.Helper()
	for i, v := range numbers[:2*64*8] {
		k, row := i/(64*8)*8+i%8, i/8%64
		if v != want(k, row) {
			t.Fatalf("%s: the weight of input %d and output %d is %v, want %v", tower.Kernel, k, row, v, want(k, row))
		}
	}
	return numbers[2*64*8:]
}
