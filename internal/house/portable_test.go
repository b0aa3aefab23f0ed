package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// played are the packages that compute a game from its settings, its network and its seed. Their
// arithmetic has the same bits on every processor. Package quant is left out because it multiplies only
// where no product is rounded; its results have a hash.
var played = []string{
	"game", "game/tactics", "internal/portable", "data/schedule", "internal/eval", "internal/eval/cpu", "mcts",
	"internal/gather", "data", "internal/selfplay", "internal/think", "internal/arena/alphabeta",
}

// exact are the functions of package math that round correctly, or not at all.
var exact = strings.Fields("Abs Ceil Copysign Float32bits Float32frombits Float64bits Float64frombits Floor Frexp Inf IsInf IsNaN Ldexp Max Min Mod NaN Round RoundToEven Signbit Sqrt Trunc")

// TestPlayedByExactFunctions: what games are computed by calls no function whose result depends on the
// processor. Package portable replaces those.
func TestPlayedByExactFunctions(t *testing.T) {
	for _, p := range played {
		files, err := filepath.Glob(filepath.Join("../..", p, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files (%v)", p, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				called, ok := call.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				name := called.Sel.Name
				in, _ := called.X.(*ast.Ident)
				if in != nil && in.Name == "math" && !slices.Contains(exact, name) || name == "NormFloat64" || name == "ExpFloat64" {
					t.Errorf("%v: %s differs from one processor to another; package portable has one that does not", set.Position(n.Pos()), name)
				}
				return true
			})
		}
	}
}

// TestPlayedWithoutFusedProducts: the compiler for arm64, which fuses products with sums wherever it may,
// finds none to fuse. A conversion such as float64(x*y) prevents it.
func TestPlayedWithoutFusedProducts(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles for arm64")
	}
	build := exec.Command("go", "build", "-gcflags=-S")
	for _, p := range played {
		build.Args = append(build.Args, "./"+p)
	}
	build.Dir = "../.."
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	listing, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("compiling for arm64: %v\n%.1000s", err, listing)
	}
	if !strings.Contains(string(listing), "FADDD") {
		t.Fatal("the listing has no sums")
	}
	for _, m := range fused.FindAllStringSubmatch(string(listing), -1) {
		t.Errorf("%s: a product is fused with a sum on some processors; write float64(x*y) or float32(x*y)", m[1])
	}
}

var fused = regexp.MustCompile(`\(([^()\n]*\.go:\d+)\)\tFN?M(?:ADD|SUB)[SD]\t`)
