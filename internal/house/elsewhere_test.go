package house

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBuildsElsewhere: the types of the program and its tests fit together on systems that the tests do not run on, and
// every function has a body there. On 386 an int has 32 bits. Dependencies are checked without the bodies of their
// functions. To compile all of it, which alone would find everything, takes minutes.
func TestBuildsElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads all dependencies for three systems")
	}
	for _, system := range []string{"windows/386", "darwin/arm64", "freebsd/amd64"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			goos, arch, _ := strings.Cut(system, "/")
			c := checker{set: token.NewFileSet(), sizes: types.SizesFor("gc", arch), checked: map[string]*types.Package{"unsafe": types.Unsafe}}
			own := 0
			for p := range listing(t, goos, arch) {
				mine := p.Module != nil && p.Module.Main
				for _, err := range c.check(p, mine) {
					if p.Module != nil {
						t.Error(err)
					}
				}
				if mine {
					own++
				}
			}
			if own < 100 {
				t.Errorf("only %d packages were checked", own)
			}
		})
	}
}

// listed is a package as go list describes it. That with tests has a path of its own.
type listed struct {
	ImportPath, Name, Dir string
	GoFiles, SFiles       []string
	ImportMap             map[string]string // from the path in a file, where it is not the package's
	Module                *struct {
		Main      bool
		GoVersion string
	}
}

// listing yields the packages of this module, with their tests, and all that they import. Those
// imported come first.
func listing(t *testing.T, goos, arch string) func(yield func(listed) bool) {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Name,Dir,GoFiles,SFiles,ImportMap,Module", "./...")
	list.Dir, list.Env = "../..", append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("listing the packages for %s: %v", goos, err)
	}
	return func(yield func(listed) bool) {
		for d := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p listed
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
			// The program of a package's tests is generated where they are built.
			if strings.HasSuffix(p.ImportPath, ".test") || p.ImportPath == "unsafe" {
				continue
			}
			if !yield(p) {
				return
			}
		}
	}
}

// A checker checks packages after those that they import.
type checker struct {
	set     *token.FileSet
	sizes   types.Sizes
	checked map[string]*types.Package
}

func (c checker) check(p listed, bodies bool) (errs []error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return []error{err}
		}
		files = append(files, f)
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body == nil && len(p.SFiles) == 0 && bodies {
				errs = append(errs, fmt.Errorf("%v: %s has no body", c.set.Position(d.Pos()), d.Name.Name))
			}
		}
	}
	config := types.Config{
		IgnoreFuncBodies: !bodies,
		Sizes:            c.sizes,
		Error:            func(err error) { errs = append(errs, err) },
		Importer: importer(func(path string) (*types.Package, error) {
			if mapped, ok := p.ImportMap[path]; ok {
				path = mapped
			}
			if imported := c.checked[path]; imported != nil {
				return imported, nil
			}
			return nil, fmt.Errorf("%s has not been checked", path)
		}),
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	c.checked[p.ImportPath], _ = config.Check(path, c.set, files, nil)
	return errs
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
