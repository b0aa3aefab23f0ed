//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/cuda"
	"warren/internal/compute/kernels"
	"warren/internal/compute/opencl"
	"warren/internal/eval"
	"warren/internal/eval/evaltest"
	"warren/internal/eval/gpu"
	"warren/internal/nettest"
	"warren/net"
)

// driver returns a stand-in, and the device that package cuda finds in it.
func driver(t *testing.T) (*standIn, *gpu.Device) {
	t.Helper()
	on, err := opencl.Devices()
	if err != nil {
		t.Skipf("not tested here: %v (Debian: apt-get install pocl-opencl-icd)", err)
	}
	s := newStandIn(on[0])
	all, err := cuda.DevicesOf(s.symbol)
	if err != nil {
		t.Fatal(err)
	}
	return s, gpu.NewDevice(all[0])
}

// opened opens the stand-in's device.
func opened(t *testing.T) (*standIn, compute.Context) {
	t.Helper()
	s, _ := driver(t)
	all, err := cuda.DevicesOf(s.symbol)
	if err != nil {
		t.Fatal(err)
	}
	c, err := all[0].Open(kernels.Form{}.Program())
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

var config = net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}

// TestCUDA evaluates networks by the calls of CUDA: the results are those of OpenCL, bit for
// bit, and nothing is left on the device.
func TestCUDA(t *testing.T) {
	s, d := driver(t)
	on, _ := opencl.Devices()
	if i := d.Info(); i.Name != "Stand-in" || i.Compute != 86 || i.Units != 4 || i.Memory != on[0].Info().Memory ||
		i.Detail != "compute capability 8.6, driver of CUDA 12.4" || d.Name() != "cuda:0" {
		t.Errorf("the device is %+v", i)
	}
	n := nettest.New(t, config, 1)
	for _, form := range []kernels.Form{{}, {Half: true, Tensor: true}} {
		var results []*eval.Batch
		for _, d := range []*gpu.Device{d, gpu.NewDevice(on[0])} {
			b, err := gpu.New(d, n, form)
			if err != nil {
				t.Fatal(err)
			}
			stream, err := b.Open(5)
			if err != nil {
				t.Fatal(err)
			}
			batch := evaltest.Random(5)
			if err := eval.Evaluate(stream, batch); err != nil {
				t.Fatal(err)
			}
			if err := stream.Close(); err != nil {
				t.Fatal(err)
			}
			results = append(results, batch)
		}
		for i := range results[0].Len() {
			if results[0].Value(i) != results[1].Value(i) || !slices.Equal(results[0].Priors(i), results[1].Priors(i)) {
				t.Errorf("%+v, position %d: CUDA and OpenCL differ", form, i)
			}
		}
	}
	if left := s.left(); left != "0 pieces of memory, 0 pinned, 0 streams, 0 events" {
		t.Errorf("left on the device: %s", left)
	}
	for _, p := range s.problems {
		t.Error(p)
	}
}

// TestCUDAFails has functions of the driver fail.
func TestCUDAFails(t *testing.T) {
	n := nettest.New(t, config, 1)
	for _, c := range []struct {
		function string
		code     int32
		is       error
		says     string
	}{
		{"cuMemAlloc", 2, eval.ErrLost, "cuda:0 (Stand-in) has not enough memory: allocating"},
		{"cuMemHostAlloc", 2, eval.ErrLost, "pinned memory: CUDA's cuMemHostAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2)"},
		{"cuLaunchKernel", 700, eval.ErrLost, "cuda:0 (Stand-in) does not work any more: the kernel expand: CUDA's cuLaunchKernel failed: CUDA_ERROR_ILLEGAL_ADDRESS (700)"},
		{"cuEventSynchronize", 719, eval.ErrLost, "CUDA's cuEventSynchronize failed with code 719"},
		{"cuModuleGetFunction", 500, nil, "the kernel expand: CUDA's cuModuleGetFunction failed with code 500"},
		{"the compiler", 0, nil, "building the kernels: CUDA's cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (218): ptxas error : a label is missing"},
	} {
		s, d := driver(t)
		s.fails[c.function] = c.code
		_, err := gpu.New(d, n, kernels.Form{})
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s fails with %d: got %v, want %q", c.function, c.code, err, c.says)
		}
	}
	s, _ := driver(t)
	s.fails["cuInit"] = 100
	if _, err := cuda.DevicesOf(s.symbol); err == nil || !strings.Contains(err.Error(), "cuInit") {
		t.Errorf("got %v", err)
	}
	if _, err := cuda.DevicesOf(func(string) (uintptr, error) { return 0, errors.New("no such function") }); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Errorf("got %v", err)
	}
}

// TestDriver evaluates networks of several sizes on the devices of this machine's driver, in
// all forms, and compares batches of 1, 7 and 64.
func TestDriver(t *testing.T) {
	all, err := cuda.Devices()
	if err != nil {
		t.Skipf("not tested here: %v", err)
	}
	for _, found := range all {
		d := gpu.NewDevice(found)
		t.Logf("%+v", d.Info())
		for _, size := range [][2]int{{2, 16}, {3, 32}, {6, 64}, {10, 128}, {20, 256}} {
			n := nettest.New(t, net.Config{Blocks: size[0], Channels: size[1], PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64}, 1)
			forms := []kernels.Form{{}}
			if d.Info().Compute >= 80 {
				forms = append(forms, kernels.Form{Half: true, Tensor: true})
			}
			for _, form := range forms {
				b, err := gpu.New(d, n, form) // compares with the processor
				if err != nil {
					t.Errorf("%v %+v: %v", n.Config, form, err)
					continue
				}
				stream, err := b.Open(64)
				if err != nil {
					t.Fatal(err)
				}
				whole := evaltest.Random(64)
				if err := eval.Evaluate(stream, whole); err != nil {
					t.Fatal(err)
				}
				for _, batch := range []int{1, 7} {
					part := new(eval.Batch)
					for i := range batch {
						part.Add(whole.Position(50+i), whole.Legal(50+i))
					}
					if err := eval.Evaluate(stream, part); err != nil {
						t.Fatal(err)
					}
					for i := range batch {
						if part.Value(i) != whole.Value(50+i) || !slices.Equal(part.Priors(i), whole.Priors(50+i)) {
							t.Errorf("%v %+v: position %d has other bits in a batch of %d", n.Config, form, 50+i, batch)
						}
					}
				}
				if err := stream.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestHopperFallsBack has a device of compute capability 9.0 whose driver does not accept the kernel
// for all blocks of a network. They are computed as on other devices then, and the kernel is not
// tried again.
func TestHopperFallsBack(t *testing.T) {
	s, _ := driver(t)
	s.capability = 90
	all, err := cuda.DevicesOf(s.symbol)
	if err != nil {
		t.Fatal(err)
	}
	d := gpu.NewDevice(all[0])
	n := nettest.New(t, net.Config{Blocks: 1, Channels: 64, PoolEvery: 1, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}, 1)
	for range 2 {
		b, err := gpu.New(d, n, kernels.Form{Half: true, Tensor: true})
		if err != nil {
			t.Fatal(err)
		}
		if path := b.Attributes().Path; path != "cuda-fp16-mma90" {
			t.Errorf("the path is %s", path)
		}
	}
	if !slices.Contains(s.loads, "sm_90a") || s.loads[len(s.loads)-1] != "sm_80" || len(s.loads) > 5 {
		t.Errorf("the modules are for %q", s.loads)
	}
	for _, p := range s.problems {
		t.Error(p)
	}
}

// TestLocal launches a kernel with memory of each work group.
func TestLocal(t *testing.T) {
	s, c := opened(t)
	b, err := c.Buffer(64 * 40 * 4)
	if err != nil {
		t.Fatal(err)
	}
	k, err := c.Kernel("expand", 64, b, b, int32(40), compute.Local(200<<10))
	if err != nil {
		t.Fatal(err)
	}
	q, err := c.Queue()
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Launch(compute.Launch{Kernel: k, Groups: [2]int{1, 1}}); err != nil {
		t.Error(err)
	}
	q.Release()
	b.Release()
	if len(s.dynamic) != 1 || s.dynamic[1] != 200<<10 {
		t.Errorf("the most dynamic shared memory by function is %v", s.dynamic)
	}
	for _, p := range s.problems {
		t.Error(p)
	}
}

// TestEventsAreUsedAgain flushes a queue several times.
func TestEventsAreUsedAgain(t *testing.T) {
	s, c := opened(t)
	q, err := c.Queue()
	if err != nil {
		t.Fatal(err)
	}
	var late compute.Mark
	for range 5 {
		var marks []compute.Mark
		for range 2 {
			m, err := q.Flush()
			if err != nil {
				t.Fatal(err)
			}
			marks = append(marks, m)
		}
		if err := marks[0].Wait(); err != nil {
			t.Error(err)
		}
		if late != nil {
			if err := late.Wait(); err != nil {
				t.Error(err)
			}
		}
		late = marks[1]
		if len(s.events) > 3 {
			t.Fatalf("there are %d events", len(s.events))
		}
	}
	if err := late.Wait(); err != nil {
		t.Error(err)
	}
	q.Release()
	if left := s.left(); left != "0 pieces of memory, 0 pinned, 0 streams, 0 events" {
		t.Errorf("left on the device: %s", left)
	}
}

// TestFlushFails: after an error there is no mark.
func TestFlushFails(t *testing.T) {
	s, c := opened(t)
	q, err := c.Queue()
	if err != nil {
		t.Fatal(err)
	}
	for _, function := range []string{"cuEventCreate", "cuEventRecord"} {
		s.fails[function] = 2
		if m, err := q.Flush(); m != nil || err == nil {
			t.Errorf("%s fails: got %v, %v", function, m, err)
		}
	}
	q.Release()
}
