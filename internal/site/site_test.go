package site

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"warren"
)

func built(t *testing.T) Site {
	t.Helper()
	s, err := Build(warren.Documents)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var (
	reference = regexp.MustCompile(`<(\w+) [^>]*?(?:href|src)="([^"]*)"([^>]*)>`)
	id        = regexp.MustCompile(` (?:id|name)="([^"]*)"`)
)

// TestNoLinkIsDead follows every link and picture of the site. Only links that a reader follows lead to other hosts.
func TestNoLinkIsDead(t *testing.T) {
	s := built(t)
	named := map[string]bool{} // page#id
	for name, content := range s {
		for _, m := range id.FindAllStringSubmatch(string(content), -1) {
			named[name+"#"+m[1]] = true
		}
	}
	seen := 0
	for name, content := range s {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range reference.FindAllStringSubmatch(string(content), -1) {
			seen++
			switch tag, to := m[1], m[2]; {
			case to == "data:,": // no icon
			case strings.Contains(to, ":"):
				if tag != "a" || !strings.Contains(m[3], "noreferrer") {
					t.Errorf("%s needs another host: %s", name, m[0])
				}
			default:
				file, anchor, has := strings.Cut(to, "#")
				if file = path.Join(path.Dir(name), file); strings.HasPrefix(to, "#") {
					file = name
				}
				if s[file] == nil || has && !named[file+"#"+anchor] {
					t.Errorf("%s: %s leads nowhere", name, m[0])
				}
			}
		}
	}
	if seen < 1000 {
		t.Errorf("found only %d links", seen)
	}
	for _, name := range []string{"site.js", "style.css"} {
		if strings.Contains(string(s[name]), "://") {
			t.Errorf("%s names another host", name)
		}
	}
}

// TestSearchIndex: the index has each setting with its page, and its text is free of tags.
func TestSearchIndex(t *testing.T) {
	text := strings.TrimSuffix(strings.TrimPrefix(string(built(t)["index.js"]), "window.sections = "), ";\n")
	var all [][5]string
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, s := range all {
		if s[3] == "search.draw_penalty" {
			found = s[0] == "reference/settings.html" && s[1] == "searchdraw_penalty" && strings.HasPrefix(s[4], "Default 0.5")
		}
		if strings.Contains(s[4], "<code>") || strings.Contains(s[4], "&quot;") {
			t.Errorf("%s has the text %q", s[3], s[4])
		}
	}
	if !found {
		t.Error("search.draw_penalty is not found")
	}
}

// TestIndexListsEveryDocument: a document that nobody would find is an error, as is one that is listed twice.
func TestIndexListsEveryDocument(t *testing.T) {
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for want, index := range map[string]string{
		"":                               "## A\n[b](b.md) [c](c/README.md)",
		"lists neither docs/b.md nor":    "## A\n[c](c/README.md)",
		"lists neither docs/c/README.md": "## A\n[b](b.md) [d](c/d.md)",
		"lists b.html twice":             "## A\n[b](b.md) [c](c/README.md) [b](b.md)",
	} {
		_, err := Build(fstest.MapFS{Index: text(index), "docs/b.md": text("# B"), "docs/c/README.md": text("# C"), "docs/c/d.md": text("# D")})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", index, err, want)
		}
	}
}

// TestPageOfADocument: links to documents and their headings lead to pages, and those to other files become text.
func TestPageOfADocument(t *testing.T) {
	paths := map[string]string{"docs/a/x.md": "a/x.html", "docs/b.md": "b.html", "docs/b.svg": "b.svg"}
	p, err := render("docs/a/x.md", "a/x.html", []byte("# T `x`\n[b](../b.md#y) [c](../../c.go) ![p](../b.svg)\n\n## A: b, c\n\n## <a name=\"z\"></a>D\n\n`<a href=\"x\">`"), paths)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<a href="../b.html#y">b</a> c <img loading="lazy" src="../b.svg"`, `<h2 id="a-b-c">`, `<h2 id="d"><a name="z"></a>D`, `&lt;a href=&quot;x&quot;&gt;`} {
		if !strings.Contains(string(p.Body), want) {
			t.Errorf("no %s in %s", want, p.Body)
		}
	}
	if p.Title != "T x" {
		t.Errorf("the title is %q", p.Title)
	}
}

// TestColours: the site has the colours and the type of the program's page.
func TestColours(t *testing.T) {
	page, err := os.ReadFile("../page/assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := assets.ReadFile("assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, variable := range regexp.MustCompile(`--\w[\w-]*: [^;]+;`).FindAllString(string(ours), -1) {
		if !strings.Contains(string(page), variable) {
			t.Errorf("the page has no %s", variable)
		}
	}
}

func TestServe(t *testing.T) {
	s := Site{"index.html": []byte("<p>home"), "a/index.html": []byte("<p>a"), "style.css": []byte("p{}")}
	for _, test := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/", 200, "<p>home"},
		{"GET", "/a/", 200, "<p>a"},
		{"GET", "/style.css", 200, "p{}"},
		{"GET", "/../index.html", 200, "<p>home"},
		{"GET", "/b.html", 404, "no such page"},
		{"POST", "/", 405, "only be read"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(test.method, "/", nil)
		r.URL.Path = test.path
		s.ServeHTTP(w, r)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.body) || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s %s: %d %q", test.method, test.path, w.Code, w.Body)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	served := ""
	err := s.Serve(ctx, "127.0.0.1:0", func(url string) {
		go func() {
			defer stop()
			answer, err := http.Get(url)
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			text, _ := io.ReadAll(answer.Body)
			served = string(text)
		}()
	})
	if err != nil || served != "<p>home" {
		t.Errorf("served %q, %v", served, err)
	}
}

// TestWrite: a site is written, also over an earlier one, but not among other files.
func TestWrite(t *testing.T) {
	s := Site{"index.html": []byte("a"), "index.js": []byte("window.sections = b"), "x/y.html": []byte("c")}
	dir := filepath.Join(t.TempDir(), "new")
	for range 2 {
		if err := s.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "x", "y.html")); err != nil || string(got) != "c" {
		t.Errorf("%q, %v", got, err)
	}
	marker, old := filepath.Join(dir, "index.js"), filepath.Join(dir, "old")
	if err := os.Link(marker, old); err != nil {
		t.Fatal(err)
	}
	s["index.js"] = []byte("window.sections = d")
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(old); err != nil || string(got) != "window.sections = b" { // a full disk would leave it empty
		t.Errorf("the old index was written over: %q, %v", got, err)
	}
	for range 30 { // in some order, which is another each time
		dir := filepath.Join(t.TempDir(), "failed")
		if err := (Site{"index.js": s["index.js"], "x": nil, "x/y.html": nil}).Write(dir); err == nil {
			t.Fatal("x is both a file and a directory")
		}
		if err := (Site{"index.js": s["index.js"]}).Write(dir); err != nil {
			t.Fatalf("after a write that failed midway: %v", err)
		}
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "mine"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{other, filepath.Dir(other) + "/none/../" + filepath.Base(other)} {
		if err := s.Write(path); err == nil || !strings.Contains(err.Error(), "name a new directory") {
			t.Errorf("among other files, in %s: %v", path, err)
		}
	}
}
