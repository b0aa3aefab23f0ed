package evaluate

import (
	"fmt"
	"strings"

	"warren/internal/arena"
	"warren/internal/chart"
)

// axis is a horizontal axis of the plot of ratings.
type axis struct {
	name  string // the value of --plot-over
	label string // the label in the plot
	at    func(*arena.Standing) float64
}

// axes lists the available axes. The first is the default.
var axes = []axis{
	{"generations", "generation", func(s *arena.Standing) float64 { return float64(s.Generation) }},
	{"games", "games trained on", func(s *arena.Standing) float64 { return float64(s.RunGames) }},
	{"samples", "samples trained", func(s *arena.Standing) float64 { return float64(s.RunSamples) }},
	{"hours", "hours of the run", func(s *arena.Standing) float64 { return s.RunSeconds / 3600 }},
}

// axis returns the axis that the flag names. It returns an error if the
// position of a network on that axis is unknown.
func (f *flags) axis(entrants []*arena.Entrant) (axis, error) {
	if f.PlotOver == "" {
		return axes[0], nil
	}
	if f.Out == "" {
		return axis{}, fmt.Errorf("--plot-over is for the plot that --out DIR writes: give both")
	}
	var names []string
	for _, a := range axes {
		names = append(names, a.name)
		if a.name != f.PlotOver {
			continue
		}
		for _, e := range entrants {
			if e.Network == nil {
				continue
			}
			c := e.Network.Origin
			if c.Run == "" || c.Generation == 0 {
				continue
			}
			if s := (arena.Standing{Generation: c.Generation, RunGames: c.Games, RunSamples: c.Samples, RunSeconds: c.Seconds}); a.at(&s) == 0 {
				return axis{}, fmt.Errorf("--plot-over %s: the file of the network %s does not record the %s of its run: choose another axis", a.name, e.Name(), a.name)
			}
		}
		return a, nil
	}
	return axis{}, fmt.Errorf("--plot-over is %q, must be one of %s", f.PlotOver, strings.Join(names, ", "))
}

// plot returns a plot of the ratings. It shows the checkpoints of runs as
// curves over the axis and all other players as horizontal lines.
func plot(s *arena.Standings, over axis) *chart.Plot {
	p := &chart.Plot{
		Title: "Ratings", X: over.label, Y: "Elo",
		Note: "Error bars: 95% intervals of the distance to the mean of all players.",
	}
	if s.Anchor != "" {
		p.Note = "Error bars: 95% intervals of the distance to " + s.Anchor + "."
	}
	curves := map[string][]chart.Point{}
	var runs []string
	for i := range s.Players {
		player := &s.Players[i]
		if player.Run == "" {
			p.Levels = append(p.Levels, chart.Level{Name: player.Name, Y: player.Elo, Margin: player.Margin})
			continue
		}
		// Networks of the same run with other search options form another curve, and so
		// does one with a label.
		run := player.Name
		if file, options, ok := strings.Cut(player.Name, ".safetensors"); ok && strings.HasPrefix(file, player.Run+"/") {
			run = player.Run + options
		}
		if curves[run] == nil {
			runs = append(runs, run)
		}
		curves[run] = append(curves[run], chart.Point{X: over.at(player), Y: player.Elo, Margin: player.Margin})
	}
	for _, run := range runs {
		p.Curves = append(p.Curves, chart.Curve{Name: run, Points: curves[run]})
	}
	return p
}
