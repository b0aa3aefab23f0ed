package ptx_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute/ptx"
)

// network is what testdata/layers.ptx computes, in whole numbers.
type network struct {
	x       [64][8]float32
	weights [][64][64]float32 // [layer][output][input]
}

func newNetwork(layers int, seed uint64) *network {
	n := new(network)
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n.x {
		for j := range n.x[i] {
			n.x[i][j] = float32(r.IntN(3))
		}
	}
	for range layers {
		var w [64][64]float32
		for i := range w {
			for range 4 {
				w[i][r.IntN(64)] = float32(r.IntN(3) - 1)
			}
		}
		n.weights = append(n.weights, w)
	}
	return n
}

func (n *network) run() [64][8]float32 {
	x := n.x
	for _, w := range n.weights {
		var y [64][8]float32
		for o := range y {
			for j := range y[o] {
				for i := range x {
					y[o][j] += w[o][i] * x[i][j]
				}
				y[o][j] = max(0, y[o][j])
			}
		}
		x = y
	}
	return x
}

// half returns a whole number of at most 2048 in fp16.
func half(f float32) uint16 {
	bits := math.Float32bits(f)
	if f == 0 {
		return 0
	}
	return uint16(bits>>16&0x8000 | (bits>>23&255-112)<<10 | bits>>13&1023)
}

// launch runs PTX like testdata/layers.ptx.
func (n *network) launch(text string, seed uint64) (y [64][8]float32, err error) {
	m, err := ptx.Parse([]byte(text))
	if err != nil {
		return y, err
	}
	memory := ptx.NewMemory()
	xAt, x := memory.Allocate(1024)
	for i := range n.x {
		for j, v := range n.x[i] {
			binary.LittleEndian.PutUint16(x[2*(i/8*64+j*8+i%8):], half(v))
		}
	}
	wAt, weights := memory.Allocate(8192 * len(n.weights))
	for l, w := range n.weights {
		for o := range w {
			for i, v := range w[o] {
				binary.LittleEndian.PutUint16(weights[l*8192+i/8*1024+o*16+i%8*2:], half(v))
			}
		}
	}
	yAt, out := memory.Allocate(2048)
	err = m.Run(memory, ptx.Launch{
		Kernel: "layers", Grid: [3]int{1, 1, 1}, Threads: 160, Shared: 5120 + 32, Seed: seed,
		Arguments: []any{xAt, yAt, wAt, uint32(len(n.weights))},
	})
	for i := range 512 {
		y[i/8][i%8] = math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:]))
	}
	return y, err
}

func layers(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/layers.ptx")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLayers compares the kernel with plain Go, with many orders of what has none.
func TestLayers(t *testing.T) {
	text := layers(t)
	for seed := range uint64(20) {
		n := newNetwork(3, seed)
		got, err := n.launch(text, seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got != n.run() {
			t.Fatalf("seed %d: other numbers than plain Go", seed)
		}
	}
}

// mutation is a change of one line that makes the kernel wrong.
type mutation struct{ what, line string }

// mutations returns the wrong lines that a line could be: without a synchronization, with another
// parity, or without the loop around a wait.
func mutations(line string) []mutation {
	var all []mutation
	for _, word := range []string{"fence", "bar.", "mbarrier.", "commit_group", "wait_group"} {
		if strings.Contains(line, word) {
			all = append(all, mutation{"deleted", ""})
			break
		}
	}
	switch {
	case strings.Contains(line, "try_wait"):
		parity := line[strings.LastIndex(line, "%") : len(line)-1]
		flipped := strings.ReplaceAll(line, parity, "%flipped")
		all = append(all,
			mutation{"flipped", "{ .reg .b32 %flipped; xor.b32 %flipped, " + parity + ", 1; " + flipped + " }"},
			mutation{"not waited for", "setp.eq.u32 %p2, %r2, %r2;"},
			mutation{"not repeated", line + " setp.eq.u32 %p2, %r2, %r2;"})
	case strings.Contains(line, "wait_group.sync.aligned 0"):
		all = append(all, mutation{"one group fewer", strings.Replace(line, " 0", " 1", 1)})
	case strings.Contains(line, "wait_group.sync.aligned 1"):
		all = append(all, mutation{"one group fewer", strings.Replace(line, " 1", " 2", 1)})
	case strings.Contains(line, "mbarrier.init"):
		count := line[len(line)-2 : len(line)-1]
		all = append(all, mutation{"one more arrival", strings.Replace(line, " "+count+";", " 5;", 1)})
	case strings.Contains(line, "bar.sync") && strings.Contains(line, "128"):
		all = append(all, mutation{"fewer threads", strings.Replace(line, "128", "96", 1)})
	case strings.Contains(line, "expect_tx"):
		all = append(all, mutation{"fewer bytes", strings.Replace(line, "2048", "2032", 1)})
	}
	return all
}

// TestMutations changes each synchronization of the kernel in turn. The interpreter must report each,
// with one of a few orders of what has none.
func TestMutations(t *testing.T) {
	lines := strings.Split(layers(t), "\n")
	n := newNetwork(3, 1)
	tried := 0
	for i, line := range lines {
		if strings.HasPrefix(line, "//") {
			continue
		}
		for _, m := range mutations(line) {
			tried++
			if testing.Short() && tried%3 != 0 {
				continue
			}
			wrong := slices.Clone(lines)
			wrong[i] = m.line
			var fault *ptx.Fault
			for seed := uint64(0); seed < 8 && fault == nil; seed++ {
				_, err := n.launch(strings.Join(wrong, "\n"), seed)
				if err != nil && !errors.As(err, &fault) {
					t.Fatalf("line %d, %s: %v", i+1, m.what, err)
				}
			}
			if fault == nil {
				t.Errorf("line %d, %s, is not reported: %s", i+1, m.what, strings.TrimSpace(line))
			}
			t.Logf("line %d, %s: %v", i+1, m.what, fault)
		}
	}
	if tried < 30 {
		t.Errorf("only %d mutations", tried)
	}
}

// TestProductsInFlight changes the kernel around its wgmma. The interpreter must say what is wrong, in every
// order of what has none.
func TestProductsInFlight(t *testing.T) {
	text := layers(t)
	for _, c := range []struct{ old, changed, want string }{
		{"wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned; mov.f32 %f1, 0f00000000;", "no wgmma.fence lies between"},
		{"setp.eq.u32 %p4, %r20, 3;", "mov.f32 %f1, 0f00000000; setp.eq.u32 %p4, %r20, 3;", "uses a register of a wgmma that no wgmma.wait_group has waited for"},
		{"wgmma.wait_group.sync.aligned 0;", "bra results;", "uses a register of a wgmma"},
		{"wgmma.wait_group.sync.aligned 0;", "ret;", "the thread ends, and no wgmma.wait_group has waited"},
		{"full:", "setp.eq.u32 %p6, %r10, 0; @%p6 bra full; mov.u32 %r33, 2000; slow: add.u32 %r33, %r33, -1; setp.ne.u32 %p6, %r33, 0; @%p6 bra slow; bra past; full:", "nothing orders this after the write of a bulk copy"},
		{"setp.ne.u32 %p3, %r20, 0;", "setp.ge.u32 %p3, %r20, 0;", "adds to a register that was never written"},
		{"mov.u32 %r16, 8;", "and.b32 %r16, %r2, 8;", "different descriptors"},
		{"mov.u32 %r16, 8;", "shr.u32 %r16, %r2, 5;", "different wgmma"},
	} {
		changed := strings.Replace(text, c.old, c.changed, 1)
		changed = strings.Replace(changed, "@!%p2 bra full;", "@!%p2 bra full; past:", 1)
		for seed := range uint64(10) {
			if _, err := newNetwork(2, 1).launch(changed, seed); !errors.As(err, new(*ptx.Fault)) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, not %q", c.changed, err, c.want)
				break
			}
		}
	}
}
