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

// rooms says of every package which others of ours it may import. Anything
// not listed here has no place in the house yet: add it, and the reason, to
// ARCHITECTURE.md too.
var rooms = map[string][]string{
	"internal/durable":        {},
	"internal/house":          {},
	"internal/console":        {},
	"internal/nearest":        {},
	"internal/chart":          {},
	"configs":                 {"internal/nearest"},
	"metrics":                 {"internal/durable"},
	"game":                    {},
	"net/internal/kernel":     {},
	"net/internal/kernel/asm": {},
	"net/internal/gradient":   {"net/internal/kernel"},
	"net":                     {"game", "net/internal/kernel", "net/internal/gradient", "internal/durable"},
	"net/onnx":                {"game", "net", "internal/durable"},
	"net/npz":                 {"net", "internal/durable"},
	"mcts":                    {"game"},
	"data":                    {"game", "internal/durable"},
	"selfplay":                {"game", "mcts", "data"},
	"aei":                     {"game"},
	"think":                   {"game", "mcts", "aei"},
	"alphabeta":               {"game"},
	"rating":                  {},
	"match":                   {"game", "mcts", "rating", "alphabeta", "aei", "configs", "internal/durable", "internal/nearest"},
	"train":                   {"game", "mcts", "net", "data", "selfplay", "match", "rating", "metrics", "configs", "internal/durable"},
	"bench":                   {"game", "net", "net/onnx", "train", "internal/console"},
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
		if strings.HasPrefix(room, "cmd/") {
			return nil
		}
		allowed, known := rooms[room]
		if !known {
			t.Errorf("%s: the package %s is not in the plan of the house", path, room)
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
