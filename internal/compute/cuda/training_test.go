//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/cuda"
	"warren/internal/compute/opencl"
	"warren/internal/learn"
	"warren/internal/learn/gpu"
	"warren/internal/learn/graph"
	"warren/internal/learn/learntest"
	"warren/internal/nettest"
	"warren/net"
)

var heads = net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16, Auxiliary: strings.Join(net.AuxiliaryHeads(), " ")}

// learned makes steps and returns the state.
func learned(t *testing.T, tr learn.Trainer, steps int) []net.Tensor {
	t.Helper()
	for i := range steps {
		if _, err := tr.Step(learntest.Lesson(heads, uint64(i), 4), 0.001); err != nil {
			t.Fatal(err)
		}
	}
	state, err := tr.State()
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func fresh(t *testing.T) *net.Network {
	t.Helper()
	n := nettest.New(t, heads, 1)
	return n
}

func settings(method string) learn.Config {
	c := learn.DefaultConfig()
	c.Batch, c.EMADecay, c.Optimizer.Method = 4, 0.9, method
	return c
}

// TestCUDALearns trains a network by the calls of CUDA: the results are those of OpenCL, bit for
// bit, and nothing is left on the device.
func TestCUDALearns(t *testing.T) {
	on, err := opencl.Devices()
	if err != nil {
		t.Skipf("not tested here: %v (Debian: apt-get install pocl-opencl-icd)", err)
	}
	for _, method := range []string{learn.Adam, learn.Muon, learn.SGD} {
		s := newStandIn(on[0])
		all, err := cuda.DevicesOf(s.symbol)
		if err != nil {
			t.Fatal(err)
		}
		var states [][]net.Tensor
		for _, d := range []compute.Device{all[0], on[0]} {
			tr, err := gpu.New(d, fresh(t), settings(method), gpu.FP32)
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, learned(t, tr, 2))
			if err := tr.Close(); err != nil {
				t.Error(err)
			}
		}
		for i, tensor := range states[0] {
			if !slices.Equal(tensor.Data, states[1][i].Data) {
				t.Errorf("%s: CUDA and OpenCL differ in %s", method, tensor.Name)
			}
		}
		if left := s.left(); left != "0 pieces of memory, 0 pinned, 0 streams, 0 events" {
			t.Errorf("%s: left on the device: %s", method, left)
		}
		for _, p := range s.problems {
			t.Error(p)
		}
	}
}

// TestDriverLearns trains a network on the devices of this machine's driver, and on
// the processor.
func TestDriverLearns(t *testing.T) {
	all, err := cuda.Devices()
	if err != nil {
		t.Skipf("not tested here: %v", err)
	}
	for _, d := range all {
		t.Logf("%+v", d.Info())
		for _, method := range []string{learn.SGD, learn.Muon} {
			tr, err := gpu.New(d, fresh(t), settings(method), gpu.FP32)
			if err != nil {
				t.Fatal(err)
			}
			reference, err := graph.New(fresh(t), settings(method))
			if err != nil {
				t.Fatal(err)
			}
			got, want := learned(t, tr, 10), learned(t, reference, 10)
			for i, w := range want {
				for k, v := range w.Data {
					if !(math.Abs(float64(got[i].Data[k]-v)) <= 1e-3*(1+math.Abs(float64(v)))) {
						t.Fatalf("%s: %s[%d] is %g, on the processor %g", method, w.Name, k, got[i].Data[k], v)
					}
				}
			}
			if err := errors.Join(tr.Close(), reference.Close()); err != nil {
				t.Error(err)
			}
		}
	}
}
