package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestHelpTeachesByExample checks that the help of every command contains at least two
// examples, each on a line of its own.
func TestHelpTeachesByExample(t *testing.T) {
	commands, err := filepath.Glob("../../internal/command/*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if len(commands) < 7 {
		t.Fatalf("found only the commands %v", commands)
	}
	for _, path := range commands {
		name := filepath.Base(filepath.Dir(path))
		examples := 0
		for line := range strings.Lines(description(t, path)) {
			if words := strings.Fields(line); strings.HasPrefix(line, "  ") && len(words) > 1 && strings.Contains(line, "warren "+name) {
				examples++
			}
		}
		if examples < 2 {
			t.Errorf("%s: -h shows %d examples, want at least 2", name, examples)
		}
	}
}

// description returns the text of the constant description or about in a source file.
func description(t *testing.T, path string) (text string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		value, ok := n.(*ast.ValueSpec)
		if !ok || value.Names[0].Name != "description" && value.Names[0].Name != "about" {
			return true
		}
		ast.Inspect(value, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				part, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				text += part
			}
			return true
		})
		return false
	})
	if text == "" {
		t.Errorf("%s: there is no description", path)
	}
	return text
}
