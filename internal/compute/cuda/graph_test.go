//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/cuda"
	"warren/internal/compute/opencl"
	"warren/internal/learn"
	"warren/internal/learn/gpu"
	"warren/net"
)

// capture is what the stand-in knows of graphs.
type capture struct {
	stream uintptr // that is being captured, or 0
	open   []compute.Launch
	graphs map[uintptr][]compute.Launch // captured and instantiated
	none   bool                         // an old driver
}

// graphTable has the functions of graphs.
func (s *standIn) graphTable() map[string]any {
	c := &s.capture
	c.graphs = map[uintptr][]compute.Launch{}
	destroy := func(graph uintptr) uintptr { delete(c.graphs, graph); return 0 }
	return map[string]any{
		"cuStreamBeginCapture_v2": func(stream uintptr, mode uint32) uintptr {
			return s.in("cuStreamBeginCapture", func() uintptr { c.stream, c.open = stream, nil; return 0 })
		},
		"cuStreamEndCapture": func(stream uintptr, graph *uintptr) uintptr {
			return s.in("cuStreamEndCapture", func() uintptr {
				*graph = uintptr(s.next())
				c.graphs[*graph], c.stream = c.open, 0
				return 0
			})
		},
		"cuGraphInstantiateWithFlags": func(whole *uintptr, graph uintptr, flags uint64) uintptr {
			return s.in("cuGraphInstantiate", func() uintptr {
				*whole = uintptr(s.next())
				c.graphs[*whole] = c.graphs[graph]
				return uintptr(flags)
			})
		},
		"cuGraphLaunch": func(whole, stream uintptr) uintptr {
			return s.in("cuGraphLaunch", func() uintptr { return code(s.streams[stream].Launch(c.graphs[whole]...)) })
		},
		"cuGraphDestroy":     destroy,
		"cuGraphExecDestroy": destroy,
	}
}

// TestGraphs makes the same steps with a driver that has graphs and with one that has none.
func TestGraphs(t *testing.T) {
	on, err := opencl.Devices()
	if err != nil {
		t.Skipf("not tested here: %v (Debian: apt-get install pocl-opencl-icd)", err)
	}
	var states [][]net.Tensor
	for _, none := range []bool{false, true} {
		s := newStandIn(on[0])
		s.capture.none = none
		all, err := cuda.DevicesOf(s.symbol)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := gpu.New(all[0], fresh(t), settings(learn.Adam), gpu.FP32)
		if err != nil {
			t.Fatal(err)
		}
		if kept := len(s.capture.graphs); none != (kept == 0) {
			t.Errorf("there are %d graphs", kept)
		}
		states = append(states, learnt(t, tr, 2))
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		if left := len(s.capture.graphs); left != 0 {
			t.Errorf("%d graphs are left", left)
		}
		for _, p := range s.problems {
			t.Error(p)
		}
	}
	if !slices.EqualFunc(states[0], states[1], func(a, b net.Tensor) bool { return slices.Equal(a.Data, b.Data) }) {
		t.Error("the steps differ")
	}
	s := newStandIn(on[0])
	all, err := cuda.DevicesOf(s.symbol)
	if err != nil {
		t.Fatal(err)
	}
	s.fails["cuGraphInstantiate"] = 2
	if _, err := gpu.New(all[0], fresh(t), settings(learn.Adam), gpu.FP32); !errors.Is(err, compute.ErrMemory) || !strings.Contains(err.Error(), "not enough memory") {
		t.Errorf("without memory for a graph: %v", err)
	}
	if left := s.left(); left != "0 pieces of memory, 0 pinned, 0 streams, 0 events" || len(s.capture.graphs) != 0 {
		t.Errorf("left on the device: %s, %d graphs", left, len(s.capture.graphs))
	}
}
