package evaluate

import (
	"strings"

	"warren/internal/arena"
	"warren/internal/chart"
)

// plot returns a plot of the ratings. It shows the checkpoints of runs as
// curves over generations and all other players as horizontal lines.
func plot(s *arena.Standings) *chart.Plot {
	p := &chart.Plot{
		Title: "Ratings", X: "generation", Y: "Elo",
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
		curves[run] = append(curves[run], chart.Point{X: float64(player.Generation), Y: player.Elo, Margin: player.Margin})
	}
	for _, run := range runs {
		p.Curves = append(p.Curves, chart.Curve{Name: run, Points: curves[run]})
	}
	return p
}
