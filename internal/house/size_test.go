package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

const (
	mostLinesOfFunction = 60
	mostLinesOfFile     = 400
)

// long lists the functions with more lines, each with its reason. A function that has become shorter, or
// has gone, must be taken from the list.
//
// A function of internal/kernel/asm generates one routine, instruction by instruction, and may have any length.
var long = map[string]string{
	"game/notation_movelist.go parseMoveList":  "one loop over the turns of a list, whose cases share what can be taken back",
	"internal/command/selfplay/worker.go work": "the steps of a worker's start, each of which is undone by a defer",
	"internal/fakeengine/fakeengine.go answer": "one switch over the ways in which an engine can be wrong",
	"internal/hub/config.go NodeConfig":        "one literal of the options of NATS",
	"internal/learn/graph/conv.go conv":        "a convolution and its gradient, as Gorgonia wants them, over memory that both share",
	"internal/learn/graph/graph.go newGraph":   "the parts of a graph in the order in which they need each other",
}

// TestSizes: functions have at most 60 lines and files 400, without tests.
func TestSizes(t *testing.T) {
	seen, found := 0, map[string]bool{}
	eachSource(t, func(path, text string) {
		set, name := token.NewFileSet(), below(path)
		file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if lines := set.File(file.Pos()).LineCount(); lines > mostLinesOfFile {
			t.Errorf("%s has %d lines, and may have %d", name, lines, mostLinesOfFile)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			seen++
			lines := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
			if key := name + " " + f.Name.Name; lines > mostLinesOfFunction && !strings.HasPrefix(name, "internal/kernel/asm/") {
				if found[key] = true; long[key] == "" {
					t.Errorf("%s:%d: %s has %d lines, and may have %d", name, set.Position(f.Pos()).Line, f.Name.Name, lines, mostLinesOfFunction)
				}
			}
		}
	})
	for key := range long {
		if !found[key] {
			t.Errorf("%s is not longer than others any more: take it from the list", key)
		}
	}
	if seen < 1000 {
		t.Errorf("read only %d functions", seen)
	}
}
