package ampere_test

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute/kernels/hopper/hoppertest"
	"warren/internal/compute/ptx"
)

var everything = flag.Bool("mutations", false, "remove the barriers of all kernels, which takes minutes")

// TestMutations removes the barriers of a kernel, one at a time. The interpreter must report it. Nothing else
// in the kernels waits for other threads.
func TestMutations(t *testing.T) {
	for _, kernels := range modules(t) {
		if !*everything && kernels[0].Channels > 64 {
			continue
		}
		text, err := kernels[0].PTX()
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for _, k := range kernels {
			n := hoppertest.New(k.Channels, 2, 2, 1)
			begin := slices.Index(lines, ".visible .entry "+k.Kernel()+"(")
			end := begin + slices.Index(lines[begin:], "}")
			tried := 0
			for i := begin; i < end; i++ {
				if !strings.Contains(lines[i], "bar.") {
					continue
				}
				tried++
				wrong := slices.Clone(lines)
				wrong[i] = ""
				var fault *ptx.Fault
				for seed := uint64(0); seed < 8 && fault == nil; seed++ {
					if _, _, err := interpret(t, k, []byte(strings.Join(wrong, "\n")), n, k.Boards, seed); err != nil && !errors.As(err, &fault) {
						t.Fatal(err)
					}
				}
				if fault == nil {
					t.Errorf("%s: line %d without %s is not reported", k.Kernel(), i+1, lines[i])
				}
			}
			if tried < 7 {
				t.Errorf("%s: only %d barriers", k.Kernel(), tried)
			}
		}
	}
}
