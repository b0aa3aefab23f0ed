package cuda

import (
	"cmp"
	"runtime"

	"warren/internal/compute"
	"warren/internal/compute/library"
)

// graphs are the functions of CUDA graphs, which drivers have had since CUDA 11.4.
type graphs struct {
	BeginCapture func(stream uintptr, mode uint32) int32                 `c:"cuStreamBeginCapture_v2"`
	EndCapture   func(stream uintptr, graph *uintptr) int32              `c:"cuStreamEndCapture"`
	Instantiate  func(whole *uintptr, graph uintptr, flags uint64) int32 `c:"cuGraphInstantiateWithFlags"`
	Launch       func(whole, stream uintptr) int32                       `c:"cuGraphLaunch"`
	Destroy      func(graph uintptr) int32                               `c:"cuGraphDestroy"`
	DestroyWhole func(whole uintptr) int32                               `c:"cuGraphExecDestroy"`
}

// bindGraphs returns the functions, nil if the driver lacks one.
func bindGraphs(symbol func(name string) (uintptr, error)) *graphs {
	g := new(graphs)
	if library.Bind(g, symbol) != nil {
		return nil
	}
	return g
}

// record is a list of launches. If the driver has graphs, it runs them as a whole.
type record struct {
	context  *context
	launches []compute.Launch
	whole    uintptr // 0 without a graph
}

// Record records launches.
func (q *queue) Record(launches ...compute.Launch) (compute.Launch, error) {
	r := &record{context: q.context, launches: launches}
	g := q.context.api.graphs
	if g == nil {
		return compute.Launch{Kernel: r}, nil
	}
	const threadLocal = 1 // other threads may use the driver meanwhile
	check := q.context.api.check
	err := q.context.do(func() error {
		if err := check("cuStreamBeginCapture", g.BeginCapture(q.id, threadLocal)); err != nil {
			return err
		}
		launched := q.launch(launches)
		var graph uintptr
		if err := cmp.Or(launched, check("cuStreamEndCapture", g.EndCapture(q.id, &graph))); err != nil {
			return err
		}
		defer g.Destroy(graph)
		return check("cuGraphInstantiate", g.Instantiate(&r.whole, graph, 0))
	})
	return compute.Launch{Kernel: r}, err
}

// run launches the record in a queue of its context. The context must be current.
func (r *record) run(q *queue) error {
	defer runtime.KeepAlive(r)
	if r.whole == 0 {
		return q.launch(r.launches)
	}
	return q.context.api.check("cuGraphLaunch", q.context.api.graphs.Launch(r.whole, q.id))
}

func (r *record) Release() {
	if r.whole != 0 {
		r.context.call("cuGraphExecDestroy", func() int32 { return r.context.api.graphs.DestroyWhole(r.whole) })
	}
}
