package site

import (
	"bytes"
	"encoding/json"
	"html/template"
	"regexp"
	"strings"
)

// layer is a section of the navigation.
type layer struct {
	Title string
	Links []link
}

type link struct{ Path, Title string }

var heading2 = regexp.MustCompile(`(?s)<h2[^>]*>(.*?)</h2>`)

// sections returns the layers of the index: its headings of the second level, with the documents that they list.
func (p *page) sections() []layer {
	var all []layer
	body := string(p.Body)
	places := heading2.FindAllStringSubmatchIndex(body, -1)
	for i, at := range places {
		end := len(body)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		l := layer{Title: plain(body[at[2]:at[3]])}
		for _, m := range anchorTag.FindAllStringSubmatch(body[at[1]:end], -1) {
			if !strings.Contains(m[1], "://") && !strings.Contains(m[1], "#") {
				l.Links = append(l.Links, link{m[1], plain(m[2])})
			}
		}
		all = append(all, l)
	}
	return all
}

var layout = template.Must(template.New("layout.html").ParseFS(assets, "assets/layout.html"))

// html returns the whole page.
func (p *page) html(layers []layer) ([]byte, error) {
	type entry struct {
		Path, Title string
		Here        bool
	}
	type group struct {
		Title string
		Here  bool
		Links []entry
	}
	data := struct {
		*page
		Root   string
		Home   bool
		Layers []group
		Parts  []part
	}{page: p, Root: p.relative(""), Home: p.path == "index.html", Parts: p.parts()}
	for _, l := range layers {
		g := group{Title: l.Title}
		for _, to := range l.Links {
			here := to.Path == p.path
			g.Here = g.Here || here
			g.Links = append(g.Links, entry{p.relative(to.Path), to.Title, here})
		}
		data.Layers = append(data.Layers, g)
	}
	var out bytes.Buffer
	err := layout.Execute(&out, data)
	return out.Bytes(), err
}

// part is a section of a page, from its heading to the next one.
type part struct {
	Level       string
	ID, Heading string
	text        string
}

var headings = regexp.MustCompile(`(?s)<h([123]) id="([^"]*)"[^>]*>(.*?)</h[123]>`)

func (p *page) parts() []part {
	var all []part
	body := string(p.Body)
	places := headings.FindAllStringSubmatchIndex(body, -1)
	for i, at := range places {
		end := len(body)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		all = append(all, part{body[at[2]:at[3]], body[at[4]:at[5]], plain(body[at[6]:at[7]]), plain(body[at[1]:end])})
	}
	return all
}

// searchIndex returns a script that defines the sections of all pages: path, anchor, title of the page, heading, text.
// A script can be loaded where the site is opened as files, without a server.
func searchIndex(pages []*page) ([]byte, error) {
	var all [][5]string
	for _, p := range pages {
		for _, s := range p.parts() {
			all = append(all, [5]string{p.path, s.ID, p.Title, s.Heading, s.text})
		}
	}
	text, err := json.Marshal(all)
	return append(append([]byte("window.sections = "), text...), ";\n"...), err
}
