package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// docLink matches a link to a name of a package, such as [Open], [net.Config] or [arena.Player.Sit].
var docLink = regexp.MustCompile(`(?:^|[\s(])\[((?:[a-z][a-z0-9]*\.)?[A-Z]\w+(?:\.[A-Z]\w*)?)\](?:[\s.,;:')]|$)`)

// source is a package's names, the packages that its files import by their last element, and its comments.
type source struct {
	names    map[string]bool // also Type.Method and Type.Field
	imports  map[string]string
	comments []*ast.CommentGroup
}

// TestDocLinks checks that every link in a comment names something that is there.
func TestDocLinks(t *testing.T) {
	files := token.NewFileSet()
	packages := map[string]*source{}
	eachSource(t, func(name, text string) {
		dir := path.Dir(below(name))
		if packages[dir] == nil {
			packages[dir] = &source{map[string]bool{}, map[string]string{}, nil}
		}
		file, err := parser.ParseFile(files, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		packages[dir].add(file)
	})
	seen := 0
	for dir, p := range packages {
		for _, group := range p.comments {
			if strings.Contains(group.Text(), "][") {
				continue // a shape, such as [B][Channels]
			}
			for _, m := range docLink.FindAllStringSubmatch(group.Text(), -1) {
				seen++
				if !resolves(packages, p, m[1]) {
					t.Errorf("%s: the package %s has a link to %s, which is not there", files.Position(group.Pos()), dir, m[1])
				}
			}
		}
	}
	if seen < 300 {
		t.Errorf("found only %d links", seen)
	}
}

// resolves reports whether a link of p names something of p, of a package that p imports, or of one of ours
// with that last element. It trusts links to other modules and to the standard library.
func resolves(packages map[string]*source, p *source, link string) bool {
	first, rest, _ := strings.Cut(link, ".")
	if first[0] < 'a' {
		return p.names[link]
	}
	ours, known := false, false
	for dir, other := range packages {
		if path.Base(dir) == first {
			ours, known = true, known || other.names[rest]
		}
	}
	imported := p.imports[first]
	return known || !ours || imported != "" && !strings.HasPrefix(imported, "warren/")
}

func (p *source) add(file *ast.File) {
	p.comments = append(p.comments, file.Comments...)
	for _, spec := range file.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		p.imports[path.Base(imported)] = imported
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			p.names[receiver(d)+d.Name.Name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				p.declare(spec)
			}
		}
	}
}

// receiver returns the type of a method and a dot, or "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	kind := f.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	if generic, ok := kind.(*ast.IndexExpr); ok {
		kind = generic.X
	}
	if name, ok := kind.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}

func (p *source) declare(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			p.names[name.Name] = true
		}
	case *ast.TypeSpec:
		p.names[spec.Name.Name] = true
		var fields *ast.FieldList
		switch kind := spec.Type.(type) {
		case *ast.StructType:
			fields = kind.Fields
		case *ast.InterfaceType:
			fields = kind.Methods
		default:
			return
		}
		for _, field := range fields.List {
			for _, name := range field.Names {
				p.names[spec.Name.Name+"."+name.Name] = true
				p.names[name.Name] = true // as in the shape [Width]
			}
		}
	}
}
