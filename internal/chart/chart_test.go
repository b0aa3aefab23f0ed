package chart

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"
)

func TestPlot(t *testing.T) {
	p := Plot{
		Title: "a < b & c", X: "x", Y: "y",
		Curves: []Curve{{"run", []Point{{20, 300, 30}, {1, -100, 40}, {10, 150, 35}}}, {"other", []Point{{5, 0, 10}}}},
		Levels: []Level{{"low", -200, 40}, {"next", -201, 40}},
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	elements := map[string]int{}
	decoder := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
		}
	}
	if elements["circle"] != 4 || elements["svg"] != 1 {
		t.Errorf("elements %v", elements)
	}
	for _, want := range []string{"a &lt; b &amp; c", ">run<", ">low<", ">next<"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q", want)
		}
	}
	// An empty plot must not fail.
	b.Reset()
	if err := (&Plot{}).Write(&b); err != nil || strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
		t.Errorf("an empty plot: %v\n%s", err, b.String())
	}
}

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		low, high, first float64
		count            int
	}{{0, 36, 0, 8}, {-2100, 1000, -2000, 7}, {0.2, 0.9, 0.2, 8}, {0, 1e6, 0, 6}} {
		a := newAxis(0, 100)
		a.take(c.low, c.high)
		ticks := a.ticks()
		if len(ticks) != c.count || math.Abs(ticks[0]-c.first) > 1e-9 {
			t.Errorf("%g to %g: ticks %v", c.low, c.high, ticks)
		}
	}
	if number(math.Copysign(0, -1)) != "0" || number(0.30000000000000004) != "0.3" {
		t.Error("ticks are not round")
	}
}

func TestLabelsDoNotOverlap(t *testing.T) {
	labels := spread([]label{{y: 100, text: "c"}, {y: 99, text: "b"}, {y: 50, text: "a"}, {y: 101, text: "d"}})
	for i := 1; i < len(labels); i++ {
		if labels[i].y-labels[i-1].y < textHeight-1 || labels[i].text < labels[i-1].text {
			t.Errorf("labels %v", labels)
		}
	}
}
