package paper

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"text/template"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"warren/internal/arena"
	"warren/internal/chart"
)

//go:embed cost.md.tmpl
var costPage string

// costs writes the page of costs and its picture.
func costs(r *rated, files map[string][]byte) error {
	page, err := template.New("cost").Funcs(template.FuncMap{
		"hours": hours, "thousands": thousands, "elo": func(v float64) string { return fmt.Sprintf("%+.0f", v) },
	}).Parse(costPage)
	if err != nil {
		return err
	}
	hardware, err := readTable(r.sources, "docs/runs/hardware.tsv")
	if err != nil {
		return err
	}
	shift, err := r.shift()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	err = page.Execute(&text, map[string]any{
		"Runs": r.runs, "Fixed": r.fixed(), "Anchor": Anchor, "Hardware": hardware.rows, "Players": len(r.standings.Players), "Games": r.games(),
		"Shift": shift,
	})
	if err != nil {
		return fmt.Errorf("writing the page of costs: %w", err)
	}
	files["docs/research/cost.md"] = text.Bytes()
	return r.draw(files)
}

// fixed returns the standings of the players that belong to no run.
func (r *rated) fixed() (players []arena.Standing) {
	for _, s := range r.standings.Players {
		if !slices.ContainsFunc(r.runs, func(run *Run) bool { return run.has(s.Name) }) {
			players = append(players, s)
		}
	}
	return players
}

func (r *Run) has(player string) bool {
	return slices.ContainsFunc(r.Points, func(p Point) bool { return p.Player == player })
}

// games returns how many games the ratings rest on.
func (r *rated) games() (n int) {
	for _, p := range r.standings.Pairings {
		n += p.Tally.Games()
	}
	return n
}

// shift returns the largest difference of a ladder's own ratings from those of all games together, rounded up.
func (r *rated) shift() (int, error) {
	most := 0.0
	for _, run := range r.runs {
		if run.Ladder == "" {
			continue
		}
		ladder, err := readLadder(r.sources, run.Ladder)
		if err != nil {
			return 0, err
		}
		for _, s := range ladder.Players {
			most = max(most, s.Elo-r.standings.Player(s.Name).Elo)
		}
	}
	return int(math.Ceil(most)), nil
}

// seeds reports whether the points of the run are its ends with different seeds, and not steps of one run.
func (r *Run) seeds() bool {
	return len(r.Points) > 1 && r.Points[0].Seed != r.Points[1].Seed
}

// Link leads from the page of costs to the run's own.
func (r *Run) Link() string { return strings.TrimPrefix(r.Page, "docs/research/") }

// Repeat says how to repeat the run.
func (r *Run) Repeat() string {
	if strings.HasPrefix(r.Command, "go ") {
		return "To repeat it:\n\n```sh\n" + r.Command + "\n```"
	}
	return r.Command
}

// Mean is the row of a table that sums up the seeds of a run, empty where its points are not seeds.
func (r *Run) Mean() string {
	if !r.seeds() {
		return ""
	}
	mean, half := r.overSeeds()
	return fmt.Sprintf("%+.0f | +-%.0f over %d seeds", mean, half, len(r.Points))
}

// overSeeds returns the mean rating of the run's points, and half of its interval over the seeds (Student 1908).
func (r *Run) overSeeds() (mean, half float64) {
	var values []float64
	for _, p := range r.Points {
		values = append(values, p.elo)
	}
	n := float64(len(values))
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return stat.Mean(values, nil), t * math.Sqrt(stat.Variance(values, nil)/n)
}

// draw draws the ratings of all runs, and those of the climb alone, over core-hours.
func (r *rated) draw(files map[string][]byte) error {
	all := &chart.Plot{
		Title: "Strength over cost", X: "core-hours, counted without accelerators", Y: "Elo",
		Note: "64 visits a step. Error bars: 95% intervals of the distance to " + Anchor + ".",
	}
	for _, run := range r.runs {
		curve := chart.Curve{Name: strings.TrimSuffix(run.file, ".json")}
		for _, p := range run.Points {
			curve.Points = append(curve.Points, chart.Point{X: p.CoreHours, Y: p.elo, Margin: p.margin})
		}
		all.Curves = append(all.Curves, curve)
		if run.Ladder == "" {
			continue
		}
		if err := r.drawLadder(run, files); err != nil {
			return err
		}
	}
	for _, s := range r.fixed() {
		all.Levels = append(all.Levels, chart.Level{Name: s.Name, Y: s.Elo, Margin: s.Margin})
	}
	return drawn(all, "docs/research/cost.svg", files)
}

// drawLadder draws the stages as the ladder itself rates them.
func (r *rated) drawLadder(run *Run, files map[string][]byte) error {
	ladder, err := readLadder(r.sources, run.Ladder)
	if err != nil {
		return err
	}
	p := &chart.Plot{
		Title: "The climb", X: "hours of one core, counted without accelerators", Y: "Elo",
		Note: "64 visits a step. Error bars: 95% intervals of the distance to " + ladder.Anchor + ".",
	}
	var stages chart.Curve
	for _, s := range ladder.Players {
		i := slices.IndexFunc(run.Points, func(p Point) bool { return p.Player == s.Name })
		if i < 0 {
			p.Levels = append(p.Levels, chart.Level{Name: s.Name, Y: s.Elo, Margin: s.Margin})
			continue
		}
		stages.Points = append(stages.Points, chart.Point{X: run.Points[i].CoreHours, Y: s.Elo, Margin: s.Margin})
	}
	stages.Name = fmt.Sprintf("stages 0 to %d", len(stages.Points)-1)
	p.Curves = []chart.Curve{stages}
	return drawn(p, "docs/climb/curve.svg", files)
}

func drawn(p *chart.Plot, path string, files map[string][]byte) error {
	var picture bytes.Buffer
	if err := p.Write(&picture); err != nil {
		return fmt.Errorf("drawing %s: %w", path, err)
	}
	files[path] = picture.Bytes()
	return nil
}

func hours(h float64) string {
	if h < 0.95 {
		return fmt.Sprintf("%.2f", h)
	}
	return fmt.Sprintf("%.1f", h)
}

// Hardware says on what a point was computed, for how long.
func (p Point) Hardware() string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(p.Used)) {
		if kind == "core" {
			parts = append(parts, fmt.Sprintf("%.1f h of a core", p.Used[kind]))
			continue
		}
		parts = append(parts, fmt.Sprintf("%.1f min of an %s", 60*p.Used[kind], strings.ToUpper(kind)))
	}
	return strings.Join(parts, ", ")
}

// Elo and Margin are the rating of p, and half of its 95% interval.
func (p Point) Elo() float64    { return p.elo }
func (p Point) Margin() float64 { return p.margin }

// Energy is in kilowatt-hours.
func (p Point) Energy() float64 { return p.energy }

// thousands writes a count with commas.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
