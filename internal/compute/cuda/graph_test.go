//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"warren/internal/compute"
	"warren/internal/compute/cuda"
	"warren/internal/compute/opencl"
	"warren/internal/learn"
	"warren/internal/learn/gpu"
	"warren/net"
)

// graphs are what the stand-in knows of graphs.
type graphs struct {
	nodes map[uintptr][]*node // of graphs that are made, and instantiated
	none  bool                // an old driver
}

// node is a launch of a graph.
type node struct {
	id     uintptr
	after  []uintptr
	launch compute.Launch
}

// kernelNode is CUDA_KERNEL_NODE_PARAMS_v1.
type kernelNode struct {
	function            uintptr
	gridX, gridY, gridZ uint32
	blockX, y, z        uint32
	shared              uint32
	args                *unsafe.Pointer
	extra               uintptr
}

// graphTable has the functions of graphs.
func (s *standIn) graphTable() map[string]any {
	c := &s.graphs
	c.nodes = map[uintptr][]*node{}
	destroy := func(graph uintptr) uintptr { delete(c.nodes, graph); return 0 }
	return map[string]any{
		"cuGraphCreate": func(graph *uintptr, flags uint32) uintptr {
			return s.in("cuGraphCreate", func() uintptr {
				*graph = uintptr(s.next())
				c.nodes[*graph] = nil
				return uintptr(flags)
			})
		},
		"cuGraphAddKernelNode": func(id *uintptr, graph uintptr, after *uintptr, count uintptr, k *kernelNode) uintptr {
			return s.in("cuGraphAddKernelNode", func() uintptr {
				l, code := s.launchOf(k.function, k.gridX, k.gridY, k.gridZ, k.blockX, k.y, k.z, k.shared, k.args, k.extra)
				n := &node{uintptr(s.next()), slices.Clone(unsafe.Slice(after, count)), l}
				*id, c.nodes[graph] = n.id, append(c.nodes[graph], n)
				return code
			})
		},
		"cuGraphInstantiateWithFlags": func(whole *uintptr, graph uintptr, flags uint64) uintptr {
			return s.in("cuGraphInstantiate", func() uintptr {
				*whole = uintptr(s.next())
				c.nodes[*whole] = c.nodes[graph]
				return uintptr(flags)
			})
		},
		"cuGraphLaunch": func(whole, stream uintptr) uintptr {
			return s.in("cuGraphLaunch", func() uintptr { return code(s.streams[stream].Launch(s.ordered(c.nodes[whole])...)) })
		},
		"cuGraphDestroy":     destroy,
		"cuGraphExecDestroy": destroy,
	}
}

// ordered returns the launches of a graph. Of those that could be next it takes the one that was added last.
func (s *standIn) ordered(nodes []*node) (all []compute.Launch) {
	done := map[uintptr]bool{}
	for len(all) < len(nodes) {
		ready := func(n *node) bool {
			return !done[n.id] && !slices.ContainsFunc(n.after, func(id uintptr) bool { return !done[id] })
		}
		for _, n := range slices.Backward(nodes) {
			if ready(n) {
				done[n.id], all = true, append(all, n.launch)
				break
			}
		}
	}
	return all
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
		s.graphs.none = none
		all, err := cuda.DevicesOf(s.symbol)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := gpu.New(all[0], fresh(t), settings(learn.Adam), gpu.FP32)
		if err != nil {
			t.Fatal(err)
		}
		if kept := len(s.graphs.nodes); none != (kept == 0) {
			t.Errorf("there are %d graphs", kept)
		}
		states = append(states, learned(t, tr, 2))
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		if left := len(s.graphs.nodes); left != 0 {
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
	if left := s.left(); left != "0 pieces of memory, 0 pinned, 0 streams, 0 events" || len(s.graphs.nodes) != 0 {
		t.Errorf("left on the device: %s, %d graphs", left, len(s.graphs.nodes))
	}
}
