package train

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/learn"
	"warren/internal/observe"
	"warren/net"
)

// TestMetricsPage: docs/reference/metrics.md has each series that the program writes, and no other.
func TestMetricsPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	page, _, ok := strings.Cut(string(text), "## Learning from recorded games")
	if !ok {
		t.Fatal("the page has no section on learning from recorded games")
	}
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z_0-9]+/[a-z_]+)`").FindAllStringSubmatch(page, -1) {
		documented[m[1]] = true
	}
	delete(documented, "match/greedy") // an example of match/NAME
	written := computed(t)
	maps.Copy(written, literal(t))
	for _, name := range slices.Sorted(maps.Keys(written)) {
		if !documented[name] {
			t.Errorf("the page lacks %s", name)
		}
		delete(documented, name)
	}
	for _, name := range slices.Sorted(maps.Keys(documented)) {
		t.Errorf("the page has %s, which nothing writes", name)
	}
}

// computed returns the series whose names depend on heads, on the ways in which games end or on the probe positions.
func computed(t *testing.T) map[string]bool {
	t.Helper()
	var p point
	losses := learn.Losses{}
	for _, head := range append([]string{"policy", "value"}, net.AuxiliaryHeads()...) {
		losses = append(losses, learn.Loss{Head: head, Mean: 1, Weight: 1})
	}
	p.losses("loss", losses)
	p.losses("held_out", losses)
	e := observe.Ended{Games: 8, Turns: 8}
	e.Wins[game.Gold] = 8
	for reason := range e.Reasons {
		e.Reasons[reason] = 1
	}
	p.ended("games", e)
	p.ended("openings", e)
	names := map[string]bool{"match/" + againstFirst: true}
	for _, v := range p.Values {
		names[v.Name] = true
	}
	for _, c := range probes {
		names["probe/"+c.name] = true
		if c.step != "" {
			names["probe/"+c.name+"_prior"] = true
		}
	}
	return names
}

// literal returns the series whose names the source has as literals: in calls of add, and in values.
func literal(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	take := func(e ast.Expr) {
		if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
			name, err := strconv.Unquote(l.Value)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(name, "/") && !strings.HasSuffix(name, "/") {
				names[name] = true
			}
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "add" && len(n.Args) == 2 {
					take(n.Args[0])
				}
			case *ast.KeyValueExpr:
				if k, ok := n.Key.(*ast.Ident); ok && k.Name == "Name" {
					take(n.Value)
				}
			}
			return true
		})
	}
	return names
}
