package house

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// order lists the packages of Warren, lowest first. A package imports only packages before it. A new
// package has a place here, and a new room a line in ARCHITECTURE.md.
var order = []string{
	"internal/kernel/asm", // a module of its own
	"internal/kernel/asm/neon",
	"game",
	"internal/gametest",
	"game/tactics",
	"internal/visible",
	"internal/plural",
	"internal/durable",
	"internal/puzzle",
	"internal/puzzle/find",
	"internal/listen",
	"internal/nearest",
	"internal/portable",
	"internal/quoted",
	"internal/chart",
	"data/schedule",
	"configs",
	".",
	"internal/site",
	"internal/metrics",
	"internal/kernel",
	"internal/kernel/bf16",
	"internal/kernel/quant",
	"net",
	"internal/nettest",
	"net/onnx",
	"net/npz",
	"internal/eval",
	"internal/eval/evaltest",
	"internal/eval/cpu",
	"internal/compute",
	"internal/compute/computetest",
	"internal/compute/library",
	"internal/compute/opencl",
	"internal/compute/cuda",
	"internal/compute/ptx",
	"internal/compute/kernels",
	"internal/compute/kernels/hopper", "internal/compute/kernels/hopper/hoppertest", "internal/compute/ptx/write", "internal/compute/kernels/hopper/source",
	"internal/compute/kernels/ampere", "internal/compute/kernels/ampere/source",
	"internal/eval/gpu",
	"net/bundled",
	"internal/eval/device",
	"internal/learn",
	"internal/learn/gradient",
	"internal/learn/learntest",
	"internal/learn/graph",
	"internal/learn/gpu",
	"internal/learn/device",
	"mcts",
	"internal/gather",
	"internal/analysis",
	"data",
	"data/replay",
	"internal/convert",
	"internal/dataset",
	"internal/observe",
	"internal/selfplay",
	"internal/fakeengine",
	"game/clock",
	"internal/arena/aei",
	"internal/think",
	"internal/arena/rating",
	"internal/arena/alphabeta",
	"internal/console",
	"internal/settings",
	"internal/arena",
	"internal/hub",
	"internal/session",
	"internal/page",
	"internal/page/browser",
	"internal/recipe",
	"internal/train",
	"internal/experiment",
	"internal/house",
	"internal/paper",
	"data/datatest",
	"examples/python",
	"examples/dataset",
	"deploy/licences",
}

func TestImportsPointDownwards(t *testing.T) {
	seen := 0
	eachSource(t, func(name, text string) {
		dir := path.Dir(below(name))
		if strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, "internal/command/") {
			return
		}
		place := slices.Index(order, dir)
		if place < 0 {
			t.Errorf("%s: the package %s is not in the list of packages", name, dir)
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if ours, ok := strings.CutPrefix(imported, "warren/"); ok && !slices.Contains(order[:place], ours) {
				t.Errorf("%s: %s may not import %s, which is not before it", name, dir, ours)
			}
		}
	})
	if seen < 10 {
		t.Fatalf("read only %d source files below %s", seen, root)
	}
}
