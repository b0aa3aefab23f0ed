package page

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warren/internal/metrics"
)

var update = flag.Bool("update", false, "draw the pictures of docs/how-to/health.md")

// patient is an invented run of forty generations in two hours, with the verdict that it must get.
type patient struct {
	name, verdict string
	elo           func(t float64) float64 // t is 0 to 1; nil: never measured
	train, held   func(t float64) float64 // the loss of the head
	head          string
	goal, turns   func(t float64) float64
}

// falls goes from one number to another, fast at first.
func falls(from, to float64) func(float64) float64 {
	return func(t float64) float64 { return to + (from-to)*math.Exp(-4*t) }
}

// late adds a slope after the middle.
func late(f func(float64) float64, slope float64) func(float64) float64 {
	return func(t float64) float64 { return f(t) + slope*max(0, t-.5) }
}

// moves goes from one number to another at a time.
func moves(from, to, at float64) func(float64) float64 {
	return func(t float64) float64 { return to + (from-to)/(1+math.Exp(24*(t-at))) }
}

var patients = []patient{
	{
		name: "learning", head: "policy", elo: falls(-900, 1150), train: late(falls(2.7, 1.5), -.25), held: late(falls(2.72, 1.52), -.25),
		goal: falls(.7, .97), turns: falls(45, 62),
		verdict: "Rated +1112 ± 60, +240 in the last 60 minutes. Held-out policy loss falls (1.434, 1.484 before). 96% of the games from the setup end by goal; a game lasts 62 turns on average.",
	},
	{
		name: "memorizing", head: "value", elo: falls(-900, 400), train: late(falls(.69, .6), -.2), held: late(falls(.69, .61), .12),
		goal: falls(.7, .97), turns: falls(45, 62),
		verdict: "Held-out value loss rises (0.665, 0.652 before) and parts from training.",
	},
	{
		name: "waiting", head: "policy", elo: moves(-900, -500, .4), train: falls(2.7, 1.5), held: falls(2.72, 1.52),
		goal: moves(.75, .06, .4), turns: moves(45, 152, .4),
		verdict: "6% of the games from the setup end by goal; a game lasts 152 turns on average.",
	},
	{
		name: "standing", head: "policy", elo: moves(-900, 500, .2), train: moves(2.7, 1.62, .2), held: moves(2.72, 1.64, .2),
		goal: falls(.7, .97), turns: falls(45, 62),
		verdict: "Rated +500 ± 60, +1 in the last 60 minutes. Held-out policy loss is level (1.639, 1.640 before).",
	},
	{
		name: "unstable", head: "policy", elo: moves(0, -700, .4), train: late(falls(2.7, 1.9), 1.2), held: late(falls(2.72, 1.92), 1.2),
		goal: falls(.7, .6), turns: falls(45, 40),
		verdict: "Held-out policy loss rises (2.477, 2.340 before).",
	},
	{
		name: "unmeasured", head: "policy", train: falls(2.7, 1.5), held: falls(2.72, 1.52),
		goal: falls(.7, .97), turns: falls(45, 62),
		verdict: "Not rated: no match has been played.",
	},
}

const generations = 40

// points returns the series of the run, with a little noise.
func (p patient) points() []metrics.Point {
	var list []metrics.Point
	for g := 1; g <= generations; g++ {
		t := float64(g) / generations
		noise := math.Sin(float64(g*g)) * .004
		point := metrics.Point{Step: int64(g), Time: time.Date(2026, 11, 27, 0, 3*g, 0, 0, time.UTC), Values: []metrics.Value{
			{Name: "loss/" + p.head, Value: p.train(t) + noise/2}, {Name: "held_out/" + p.head, Value: p.held(t) + noise},
			{Name: "games/turns", Value: p.turns(t)}, {Name: "games/end_goal", Value: p.goal(t) + noise},
		}}
		if p.elo != nil && g%4 == 0 {
			point.Values = append(point.Values, metrics.Value{Name: "match/elo", Value: p.elo(t)}, metrics.Value{Name: "match/elo_margin", Value: 60})
		}
		list = append(list, point)
	}
	return list
}

func verdictOf(points []metrics.Point) string {
	var all series
	for _, p := range points {
		all.add(p)
	}
	return verdict(&all)
}

// TestHealth draws the pictures of docs/how-to/health.md, and checks that each run there gets the verdict that the
// page quotes.
func TestHealth(t *testing.T) {
	const dir = "../../docs/how-to"
	text, err := os.ReadFile(filepath.Join(dir, "health.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "\n> ", " ")), " ")
	for _, p := range patients {
		got, want := verdictOf(p.points()), strings.ReplaceAll(p.verdict, " -", " \u2212")
		if !strings.Contains(got, want) {
			t.Errorf("%s: the verdict is %q, want %q", p.name, got, want)
		}
		if !strings.Contains(words, want) {
			t.Errorf("health.md does not quote %q", want)
		}
		file := "health-" + p.name + ".svg"
		if !strings.Contains(words, "("+file+")") {
			t.Errorf("health.md does not show %s", file)
		}
		picture := p.draw()
		if *update {
			if err := os.WriteFile(filepath.Join(dir, file), picture, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !bytes.Equal(have, picture) {
			t.Errorf("%s is not the picture of its run (%v): go test -run Health ./internal/page -update", file, err)
		}
	}
}

// TestRunThatLearns: the run of the README learned to its end, and was never told that it overfits.
func TestRunThatLearns(t *testing.T) {
	points, err := metrics.ReadLines("../../docs/runs/quick/metrics.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for i := range points {
		if got := verdictOf(points[:i+1]); strings.Contains(got, "parts from training") {
			t.Errorf("after %d points: %s", i+1, got)
		}
	}
}

// TestVerdictLeavesOutPauses: what a run gained counts by its own clock.
func TestVerdictLeavesOutPauses(t *testing.T) {
	var points []metrics.Point
	for i, at := range []struct{ minutes, elo, elapsed float64 }{{0, 500, 0}, {30, 600, 30}, {80, 640, 700}, {95, 650, 100}} {
		points = append(points, metrics.Point{Step: int64(i + 1), Time: time.Unix(int64(60*at.elapsed), 0), Values: []metrics.Value{
			{Name: "match/elo", Value: at.elo}, {Name: "total/minutes", Value: at.minutes},
		}})
	}
	if got := verdictOf(points); !strings.Contains(got, "Rated +650, +50 in the last 65 minutes.") {
		t.Errorf("the verdict is %q", got)
	}
}

// Two ratings within a minute are one minute apart, in words.
func TestVerdictOfTheLastMinute(t *testing.T) {
	var points []metrics.Point
	for i, elo := range []float64{-120, 40} {
		points = append(points, metrics.Point{Step: int64(i + 1), Time: time.Unix(int64(20*i), 0), Values: []metrics.Value{{Name: "match/elo", Value: elo}}})
	}
	if got := verdictOf(points); !strings.Contains(got, "Rated +40, +160 in the last minute.") {
		t.Errorf("the verdict is %q", got)
	}
}

// draw returns three small plots beside each other: rating, losses, goals.
func (p patient) draw() []byte {
	var b bytes.Buffer
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 190" font-family="sans-serif" font-size="13">` + "\n" +
		`<rect width="720" height="190" rx="10" fill="#fffdf8"/>` + "\n")
	var elo []func(float64) float64
	if p.elo != nil {
		elo = append(elo, p.elo)
	}
	panel(&b, 0, "rating, Elo", -1000, 1300, elo...)
	low, high := math.Inf(1), math.Inf(-1)
	for g := 1; g <= generations; g++ {
		x := float64(g) / generations
		low, high = min(low, p.train(x), p.held(x)), max(high, p.train(x), p.held(x))
	}
	panel(&b, 1, p.head+" loss", low, high, p.held, p.train)
	panel(&b, 2, "games won by goal, %", 0, 100, func(t float64) float64 { return 100 * p.goal(t) })
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// panel draws curves over the run. The second one is dashed: the training loss.
func panel(b *bytes.Buffer, place int, title string, low, high float64, curves ...func(float64) float64) {
	left, top, width, height := float64(place*240+48), 36.0, 176.0, 120.0
	fmt.Fprintf(b, `<text x="%.0f" y="22" fill="#22201c" font-weight="bold">%s</text>`+"\n", left, title)
	fmt.Fprintf(b, `<path d="M%.0f %.0fv%.0fh%.0f" fill="none" stroke="#8c8371"/>`+"\n", left, top, height, width)
	for _, y := range []float64{low, high} {
		at := top + height*(high-y)/(high-low)
		fmt.Fprintf(b, `<text x="%.0f" y="%.0f" fill="#5f584d" font-size="11" text-anchor="end">%.4g</text>`+"\n", left-5, at+4, y)
	}
	if len(curves) == 0 {
		fmt.Fprintf(b, `<text x="%.0f" y="%.0f" fill="#5f584d">none</text>`+"\n", left+70, top+height/2)
	}
	for i, f := range curves {
		var line strings.Builder
		for g := 1; g <= generations; g++ {
			x := float64(g) / generations
			fmt.Fprintf(&line, "%.0f,%.1f ", left+width*x, top+height*(high-f(x))/(high-low))
		}
		style := []string{`stroke="#0a655d"`, `stroke="#b3471b" stroke-dasharray="5 4"`}[i]
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke-width="2.5" %s/>`+"\n", strings.TrimSpace(line.String()), style)
	}
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" fill="#5f584d" font-size="11" text-anchor="end">generations</text>`+"\n", left+width, top+height+16)
	if len(curves) == 2 {
		fmt.Fprintf(b, `<text x="%.0f" y="%.0f" font-size="11"><tspan fill="#0a655d">held out</tspan><tspan fill="#b3471b" dx="6">training</tspan></text>`+"\n", left, top+height+16)
	}
}
