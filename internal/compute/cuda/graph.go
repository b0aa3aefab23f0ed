package cuda

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"warren/internal/compute"
	"warren/internal/compute/library"
)

// graphs are the functions of CUDA graphs, which drivers have had since CUDA 11.4.
type graphs struct {
	Create       func(graph *uintptr, flags uint32) int32                                                    `c:"cuGraphCreate"`
	AddKernel    func(node *uintptr, graph uintptr, after *uintptr, count uintptr, kernel *kernelNode) int32 `c:"cuGraphAddKernelNode"`
	Instantiate  func(whole *uintptr, graph uintptr, flags uint64) int32                                     `c:"cuGraphInstantiateWithFlags"`
	Launch       func(whole, stream uintptr) int32                                                           `c:"cuGraphLaunch"`
	Destroy      func(graph uintptr) int32                                                                   `c:"cuGraphDestroy"`
	DestroyWhole func(whole uintptr) int32                                                                   `c:"cuGraphExecDestroy"`
}

// kernelNode is CUDA_KERNEL_NODE_PARAMS_v1 of cuda.h.
type kernelNode struct {
	function uintptr
	grid     [3]uint32
	block    [3]uint32
	shared   uint32
	args     *unsafe.Pointer
	_        *unsafe.Pointer // extra
}

// bindGraphs returns the functions, nil if the driver lacks one.
func bindGraphs(symbol func(name string) (uintptr, error)) *graphs {
	g := new(graphs)
	if library.Bind(g, symbol) != nil {
		return nil
	}
	return g
}

// record is stages of launches. If the driver has graphs, it runs them as a whole.
type record struct {
	context *context
	stages  []compute.Stage
	whole   uintptr // 0 without a graph
}

// Record records launches.
func (q *queue) Record(stages ...compute.Stage) (compute.Launch, error) {
	r := &record{context: q.context, stages: stages}
	g := q.context.api.graphs
	if g == nil {
		return compute.Launch{Kernel: r}, nil
	}
	check := q.context.api.check
	err := q.context.do(func() error {
		var graph uintptr
		if err := check("cuGraphCreate", g.Create(&graph, 0)); err != nil {
			return err
		}
		defer g.Destroy(graph)
		var before []uintptr // the last nodes of the stage before
		for _, stage := range stages {
			var ends []uintptr
			for _, sequence := range stage {
				after := before
				for _, l := range sequence {
					node, err := q.node(graph, after, l)
					if err != nil {
						return err
					}
					after = []uintptr{node}
				}
				if len(sequence) > 0 {
					ends = append(ends, after...)
				}
			}
			if len(ends) > 0 {
				before = ends
			}
		}
		return check("cuGraphInstantiate", g.Instantiate(&r.whole, graph, 0))
	})
	return compute.Launch{Kernel: r}, err
}

// node adds a launch to a graph, after some of its nodes.
func (q *queue) node(graph uintptr, after []uintptr, l compute.Launch) (node uintptr, err error) {
	a, k := q.context.api, l.Kernel.(*kernel)
	params := &kernelNode{
		function: k.function, grid: [3]uint32{uint32(l.Groups[0]), uint32(l.Groups[1]), 1}, block: [3]uint32{k.group, 1, 1},
		shared: k.local, args: &k.args[0],
	}
	code := a.graphs.AddKernel(&node, graph, unsafe.SliceData(after), uintptr(len(after)), params)
	runtime.KeepAlive(k)
	if code != 0 {
		return 0, fmt.Errorf("the kernel %s: %w", k.name, a.check("cuGraphAddKernelNode", code))
	}
	return node, nil
}

// run launches the record in a queue of its context. The context must be current.
func (r *record) run(q *queue) error {
	defer runtime.KeepAlive(r)
	if r.whole == 0 {
		for _, sequence := range slices.Concat(r.stages...) {
			if err := q.launch(sequence); err != nil {
				return err
			}
		}
		return nil
	}
	return q.context.api.check("cuGraphLaunch", q.context.api.graphs.Launch(r.whole, q.id))
}

func (r *record) Release() {
	if r.whole != 0 {
		r.context.call("cuGraphExecDestroy", func() int32 { return r.context.api.graphs.DestroyWhole(r.whole) })
	}
}
