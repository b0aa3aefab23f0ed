package house

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms lists, for every package of Warren, the other packages of Warren that it may
// import. If you add a package here, describe it in ARCHITECTURE.md too.
var rooms = map[string][]string{
	"internal/durable":         {},
	"internal/listen":          {},
	"internal/house":           {},
	"internal/visible":         {},
	"internal/console":         {"internal/visible"},
	"internal/nearest":         {},
	"internal/quoted":          {},
	"internal/chart":           {},
	"internal/fakeengine":      {"game"},
	"configs":                  {"internal/durable", "internal/nearest"},
	"metrics":                  {"internal/durable", "internal/listen"},
	"game":                     {},
	"game/gametest":            {"game"},
	"tactics":                  {"game"},
	"internal/kernel":          {},
	"internal/kernel/asm":      {},
	"internal/kernel/bf16":     {},
	"net":                      {"game", "internal/durable"},
	"net/nettest":              {"game", "net"},
	"net/onnx":                 {"net", "internal/durable"},
	"net/npz":                  {"net", "internal/durable"},
	"eval":                     {"game"},
	"eval/evaltest":            {"eval"},
	"eval/cpu":                 {"game", "net", "eval", "internal/kernel", "internal/kernel/bf16"},
	"internal/compute":         {},
	"internal/compute/library": {},
	"internal/compute/opencl":  {"internal/compute", "internal/compute/library"},
	"internal/compute/cuda":    {"internal/compute", "internal/compute/library"},
	"internal/compute/kernels": {"internal/compute"},
	"eval/gpu":                 {"game", "net", "eval", "eval/cpu", "internal/compute", "internal/compute/kernels", "internal/durable"},
	"eval/device":              {"boxed", "net", "eval", "eval/cpu", "eval/gpu", "internal/compute", "internal/compute/cuda", "internal/compute/kernels", "internal/compute/opencl", "internal/kernel", "internal/nearest"},
	"boxed":                    {"net", "internal/durable"},
	"learn":                    {"game", "net", "internal/kernel"},
	"learn/internal/gradient":  {"internal/kernel"},
	"learn/learntest":          {"game", "net", "net/nettest", "learn"},
	"learn/graph":              {"game", "net", "learn", "learn/internal/gradient", "internal/kernel"},
	"learn/gpu":                {"game", "net", "learn", "internal/compute", "internal/compute/kernels"},
	"learn/device":             {"game", "net", "eval/device", "learn", "learn/gpu", "learn/graph", "internal/compute"},
	"mcts":                     {"game", "tactics"},
	"gather":                   {"eval", "mcts"},
	"data":                     {"game", "internal/durable"},
	"data/datatest":            {"game", "data"},
	"data/replay":              {"game", "data"},
	"watch":                    {"game", "data", "learn", "mcts", "metrics"},
	"selfplay":                 {"game", "mcts", "data", "eval", "gather", "watch"},
	"clock":                    {"game"},
	"aei":                      {"game", "clock"},
	"think":                    {"game", "tactics", "mcts", "clock", "eval", "gather"},
	"alphabeta":                {"game", "tactics"},
	"rating":                   {},
	"internal/convert":         {"game", "data", "internal/durable"},
	"match":                    {"game", "configs", "mcts", "eval", "think", "rating", "alphabeta", "clock", "aei", "internal/durable", "internal/nearest", "internal/quoted"},
	"hub":                      {"game", "data", "eval", "selfplay", "match", "watch", "metrics", "internal/durable", "internal/listen"},
	"session":                  {"game", "mcts", "eval", "think", "alphabeta", "match", "internal/durable", "internal/nearest"},
	"page":                     {"game", "mcts", "data", "data/replay", "eval", "eval/device", "boxed", "watch", "alphabeta", "match", "session", "metrics", "clock", "internal/durable", "internal/listen"},
	"settings":                 {"eval/device", "data/replay", "learn", "match", "mcts", "net", "selfplay", "rating", "configs", "internal/quoted"},
	"train":                    {"game", "mcts", "net", "data", "data/replay", "eval", "eval/device", "boxed", "learn", "learn/device", "watch", "selfplay", "settings", "match", "rating", "metrics", "configs", "internal/durable"},
	"experiment":               {"game", "mcts", "data", "eval", "eval/device", "boxed", "match", "rating", "metrics", "configs", "watch", "settings", "train", "learn", "selfplay", "net", "internal/durable", "internal/nearest", "internal/quoted"},
}

func TestImportsPointDownwards(t *testing.T) {
	const root = "../.."
	seen := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != root {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		relative, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		room := filepath.ToSlash(relative)
		if strings.HasPrefix(room, "cmd/") || strings.HasPrefix(room, "internal/command/") {
			return nil
		}
		allowed, known := rooms[room]
		if !known {
			t.Errorf("%s: the package %s is not in the list of packages", path, room)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		seen++
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(imported, "warren/"); ok && !slices.Contains(allowed, ours) {
				t.Errorf("%s: %s may not import %s", path, room, ours)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 10 {
		t.Fatalf("read only %d source files below %s", seen, root)
	}
}
