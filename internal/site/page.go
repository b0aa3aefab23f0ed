package site

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	gmhtml "github.com/yuin/goldmark/renderer/html"
)

// page is a document of the site.
type page struct {
	source, path string // in the repository, and in the site
	Title        string
	Body         template.HTML
}

// markdown renders tables too. Documents are ours, so they may contain HTML.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(gmhtml.WithUnsafe()),
)

var title = regexp.MustCompile(`(?s)<h1[^>]*>(.*?)</h1>`)

// render makes a page of a document. Paths has every document's place in the site.
func render(source, to string, content []byte, paths map[string]string) (*page, error) {
	var out bytes.Buffer
	err := markdown.Convert(content, &out, parser.WithContext(parser.NewContext(parser.WithIDs(&ids{used: map[string]int{}}))))
	if err != nil {
		return nil, fmt.Errorf("rendering %s: %w", source, err)
	}
	p := &page{source: source, path: to, Title: to}
	body := p.link(out.String(), paths)
	if m := title.FindStringSubmatch(body); m != nil {
		p.Title = plain(m[1])
	}
	body = strings.NewReplacer("<table>", `<div class="wide" tabindex="0"><table>`, "</table>", "</table></div>", "<pre>", `<pre tabindex="0">`).Replace(body)
	p.Body = template.HTML(body)
	return p, nil
}

// ids names headings as web sites of repositories do, so that a link works in both.
type ids struct{ used map[string]int }

// anchorOf is what a heading has around an anchor of its own, which is no part of its words.
var anchorOf = regexp.MustCompile(`</?a\b[^>]*>`)

var mark = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

// Anchor returns the name of a heading in a link.
func Anchor(heading string) string {
	return strings.ReplaceAll(mark.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

func (i *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	name := Anchor(anchorOf.ReplaceAllString(string(value), ""))
	n := i.used[name]
	i.used[name]++
	if n > 0 {
		return fmt.Appendf(nil, "%s-%d", name, n)
	}
	return []byte(name)
}

func (i *ids) Put(value []byte) { i.used[string(value)]++ }

var (
	anchorTag = regexp.MustCompile(`(?s)<a href="([^"]*)"[^>]*>(.*?)</a>`)
	imageTag  = regexp.MustCompile(`<img ([^>]*)src="([^"]*)"`)
)

// link lets the links and pictures of a page lead to the files of the site. A link to another file of the
// repository becomes plain text.
func (p *page) link(body string, paths map[string]string) string {
	body = anchorTag.ReplaceAllStringFunc(body, func(tag string) string {
		m := anchorTag.FindStringSubmatch(tag)
		to, anchor, ok := p.resolve(html.UnescapeString(m[1]), paths)
		switch {
		case !ok:
			return m[2]
		case strings.Contains(to, "://"):
			return fmt.Sprintf(`<a href="%s" rel="noreferrer">%s</a>`, html.EscapeString(to), m[2])
		}
		return fmt.Sprintf(`<a href="%s">%s</a>`, html.EscapeString(to+anchor), m[2])
	})
	return imageTag.ReplaceAllStringFunc(body, func(tag string) string {
		m := imageTag.FindStringSubmatch(tag)
		to, _, _ := p.resolve(html.UnescapeString(m[2]), paths)
		return fmt.Sprintf(`<img loading="lazy" %ssrc="%s"`, m[1], html.EscapeString(to))
	})
}

// resolve returns where a link of the document leads in the site, and the anchor with its #.
func (p *page) resolve(link string, paths map[string]string) (to, anchor string, ok bool) {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return link, "", true
	}
	file, name, has := strings.Cut(link, "#")
	if has {
		anchor = "#" + name
	}
	if file == "" {
		return "", anchor, true
	}
	at := path.Join(path.Dir(p.source), file)
	if paths[at] == "" {
		at = path.Join(at, "README.md") // a directory
	}
	if paths[at] == "" {
		return "", "", false
	}
	return p.relative(paths[at]), anchor, true
}

// relative returns the link from the page to a file of the site.
func (p *page) relative(to string) string {
	return strings.Repeat("../", strings.Count(p.path, "/")) + to
}

var (
	inline = regexp.MustCompile(`</?(?:a|b|code|em|strong)\b[^>]*>`)
	tags   = regexp.MustCompile(`<[^>]*>`)
)

// plain returns the text of HTML.
func plain(s string) string {
	s = tags.ReplaceAllString(inline.ReplaceAllString(s, ""), " ")
	return strings.Join(strings.Fields(html.UnescapeString(s)), " ")
}
