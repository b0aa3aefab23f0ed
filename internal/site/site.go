// Package site makes a web site of the documents: static pages that need no other host and no server, with an index
// that a browser searches by itself.
package site

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warren/internal/durable"
)

//go:embed assets
var assets embed.FS

// Index is the document that lists the others. Its headings and lists are the navigation of every page.
const Index = "docs/README.md"

// Site has the content of each file by its path, such as tutorials/play.html.
type Site map[string][]byte

// Build makes the site of the Markdown files and pictures in documents. The index must list each
// document once, or the README.md of its directory.
func Build(documents fs.FS) (Site, error) {
	paths := map[string]string{} // in the site, by the path in documents
	err := fs.WalkDir(documents, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths[name] = target(name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing the documents: %w", err)
	}
	site := Site{}
	var pages []*page
	for name, to := range paths {
		content, err := fs.ReadFile(documents, name)
		if err != nil {
			return nil, fmt.Errorf("reading a document: %w", err)
		}
		if path.Ext(name) != ".md" {
			site[to] = content
			continue
		}
		p, err := render(name, to, content, paths)
		if err != nil {
			return nil, err
		}
		pages = append(pages, p)
	}
	if err := site.assemble(pages); err != nil {
		return nil, err
	}
	return site, site.copyAssets()
}

// target returns where a document is in the site. The directory docs is its root, and a README its directory's index.
func target(name string) string {
	if name == "README.md" {
		return "about.html"
	}
	to := strings.TrimPrefix(name, "docs/")
	if path.Base(to) == "README.md" {
		return path.Join(path.Dir(to), "index.html")
	}
	if stem, ok := strings.CutSuffix(to, ".md"); ok {
		return strings.ToLower(stem) + ".html"
	}
	return to
}

// assemble puts the pages into the site, in their order in the index, and the search index.
func (s Site) assemble(pages []*page) error {
	byPath := map[string]*page{}
	for _, p := range pages {
		byPath[p.path] = p
	}
	index := byPath["index.html"]
	if index == nil {
		return fmt.Errorf("there is no %s", Index)
	}
	sections := index.sections()
	ordered := []*page{index}
	for _, section := range sections {
		for _, l := range section.Links {
			p := byPath[l.Path]
			if p == nil {
				return fmt.Errorf("%s lists %s twice, or it is no document", Index, l.Path)
			}
			ordered = append(ordered, p)
			delete(byPath, l.Path)
		}
	}
	delete(byPath, "index.html")
	for _, p := range byPath {
		if !slices.ContainsFunc(ordered[1:], func(other *page) bool { return other.path == path.Join(path.Dir(p.path), "index.html") }) {
			return fmt.Errorf("%s lists neither %s nor the README.md of its directory", Index, p.source)
		}
		ordered = append(ordered, p)
	}
	for _, p := range ordered {
		text, err := p.html(sections)
		if err != nil {
			return fmt.Errorf("making %s: %w", p.path, err)
		}
		s[p.path] = text
	}
	search, err := searchIndex(ordered)
	s[marker] = search
	return err
}

// copyAssets puts the style and the script into the site.
func (s Site) copyAssets() error {
	for _, name := range []string{"style.css", "site.js"} {
		content, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return err
		}
		s[name] = content
	}
	return nil
}

// marker is the file by which Write knows the directory of a site.
const marker = "index.js"

// Write writes the site into a directory, which is made if there is none. It refuses a directory with files unless
// it has a site's index.js. That comes first, and whole or not at all, so that a write that failed midway can be repeated.
func (s Site) Write(dir string) error {
	dir = filepath.Clean(dir) // as the files get it
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("writing the site: %w", err)
	}
	if index, err := os.ReadFile(filepath.Join(dir, marker)); len(entries) > 0 && (err != nil || !bytes.HasPrefix(index, []byte("window.sections = "))) {
		return fmt.Errorf("writing the site: %s has other files; name a new directory", dir)
	}
	names := slices.DeleteFunc(slices.Collect(maps.Keys(s)), func(name string) bool { return name == marker })
	for _, name := range slices.Insert(names, 0, marker) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return fmt.Errorf("writing the site: %w", err)
		}
		if err := durable.WriteBytes(file, s[name]); err != nil {
			return fmt.Errorf("writing the site: %w", err)
		}
	}
	return nil
}
