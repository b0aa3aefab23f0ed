// Package chart draws measurements as an SVG plot, which browsers, editors and word
// processors can show. A plot consists of curves of points with error bars over a common
// axis, and of horizontal levels to compare them with. The package knows nothing about
// the measurements.
//
// It does not use a plotting library, because for a single picture that would add a
// dozen modules, including fonts.
package chart

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Plot is a picture of curves and levels.
type Plot struct {
	Title, X, Y string // title, and labels of the axes with their units
	Note        string // a line below the plot
	Curves      []Curve
	Levels      []Level
}

// Curve is a set of points joined by a line in order of X.
type Curve struct {
	Name   string
	Points []Point
}

// Point is a measurement. Margin is half the length of its error bar, in units of Y.
type Point struct{ X, Y, Margin float64 }

// Level is a horizontal line. Margin is half the length of its error bar, in units of Y.
type Level struct {
	Name      string
	Y, Margin float64
}

// Sizes in pixels of the whole picture and of the margins around the plot.
const (
	width, height            = 900, 560
	left, right, top, bottom = 70, 230, 50, 75
	textHeight               = 15
)

// colours are the colours of the curves. People with colour blindness can distinguish
// them too (Okabe and Ito 2008).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"}

const levelColour = "#666666"

// Write writes the plot to w as a complete SVG document. A plot without curves and
// levels is an empty pair of axes.
func (p *Plot) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n",
		width, height, width, height)
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	x, y := p.axes()
	text(b, left, 26, "start", `font-size="16" font-weight="bold"`, p.Title)
	text(b, (left+width-right)/2, height-36, "middle", "", p.X)
	text(b, left, height-12, "start", `fill="#444444" font-size="11"`, p.Note)
	fmt.Fprintf(b, `<g transform="translate(18 %d) rotate(-90)">`, (top+height-bottom)/2)
	text(b, 0, 0, "middle", "", p.Y)
	fmt.Fprintln(b, `</g>`)
	for _, v := range y.ticks() {
		at := y.at(v)
		line(b, left, at, width-right, at, `stroke="#e4e4e4"`)
		text(b, left-8, at+4, "end", "", number(v))
	}
	for _, v := range x.ticks() {
		at := x.at(v)
		line(b, at, height-bottom, at, height-bottom+5, `stroke="black"`)
		text(b, at, height-bottom+20, "middle", "", number(v))
	}
	labels := p.levels(b, y)
	for i, c := range p.Curves {
		colour := colours[i%len(colours)]
		labels = append(labels, label{curve(b, c, x, y, colour), c.Name, colour})
	}
	fmt.Fprintf(b, `<path d="M%d %dV%dH%d" fill="none" stroke="black"/>`+"\n", left, top, height-bottom, width-right)
	for _, l := range spread(labels) {
		text(b, width-right+10, l.y+4, "start", fmt.Sprintf(`fill="%s"`, l.colour), l.text)
	}
	fmt.Fprintln(b, `</svg>`)
	return b.Flush()
}

// axes returns axes that include everything to be drawn.
func (p *Plot) axes() (x, y axis) {
	x, y = newAxis(left, width-right), newAxis(height-bottom, top)
	for _, c := range p.Curves {
		for _, q := range c.Points {
			x.take(q.X, q.X)
			y.take(q.Y-q.Margin, q.Y+q.Margin)
		}
	}
	for _, l := range p.Levels {
		y.take(l.Y-l.Margin, l.Y+l.Margin)
	}
	return x.padded(), y.padded()
}

// levels draws the horizontal lines and returns their labels.
func (p *Plot) levels(b *bufio.Writer, y axis) (labels []label) {
	for i, l := range p.Levels {
		line(b, left, y.at(l.Y), width-right, y.at(l.Y), fmt.Sprintf(`stroke="%s" stroke-dasharray="6 4"`, levelColour))
		// Draw the error bars side by side, because they may overlap in height.
		errorBar(b, float64(width-right-8-10*(i%8)), y.at(l.Y+l.Margin), y.at(l.Y-l.Margin), levelColour)
		labels = append(labels, label{y.at(l.Y), l.Name, levelColour})
	}
	return labels
}

// curve draws a curve and returns the vertical position of its last point.
func curve(b *bufio.Writer, c Curve, x, y axis, colour string) (end float64) {
	var path strings.Builder
	points := slices.SortedFunc(slices.Values(c.Points), func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	for i, q := range points {
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], x.at(q.X), y.at(q.Y))
		end = y.at(q.Y)
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", path.String(), colour)
	for _, q := range c.Points {
		at := x.at(q.X)
		errorBar(b, at, y.at(q.Y+q.Margin), y.at(q.Y-q.Margin), colour)
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", at, y.at(q.Y), colour)
	}
	return end
}

func errorBar(b *bufio.Writer, x, high, low float64, colour string) {
	fmt.Fprintf(b, `<path d="M%.1f %.1fH%.1fM%.1f %.1fV%.1fM%.1f %.1fH%.1f" fill="none" stroke="%s"/>`+"\n",
		x-4, high, x+4, x, high, low, x-4, low, x+4, colour)
}

// label is a text at the right edge of the plot, next to the line that it names.
type label struct {
	y            float64
	text, colour string
}

// spread moves overlapping labels apart and keeps their order.
func spread(labels []label) []label {
	slices.SortStableFunc(labels, func(a, b label) int { return cmp.Compare(a.y, b.y) })
	for range 200 {
		moved := false
		for i := 1; i < len(labels); i++ {
			if gap := labels[i-1].y + textHeight - labels[i].y; gap > 0.1 {
				labels[i-1].y -= gap / 2
				labels[i].y += gap / 2
				moved = true
			}
		}
		if !moved {
			break
		}
	}
	return labels
}

func line(b *bufio.Writer, x1, y1, x2, y2 float64, style string) {
	fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`+"\n", x1, y1, x2, y2, style)
}

func text(b *bufio.Writer, x, y float64, anchor, style, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" %s>`, x, y, anchor, style)
	xml.EscapeText(b, []byte(s))
	fmt.Fprintln(b, `</text>`)
}
