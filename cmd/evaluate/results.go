package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"warren/internal/chart"
	"warren/internal/durable"
	"warren/match"
)

// saveEveryMinute keeps the ratings in dir up to date while the tournament is
// played, until stop is called.
func saveEveryMinute(dir string, t *match.Tournament, log *slog.Logger) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Minute)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-quit:
				return
			}
			standings, err := t.Standings()
			if err == nil {
				err = save(dir, standings)
			}
			if err != nil {
				log.Warn("the ratings so far were not saved", "err", err)
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// save writes the ratings in all their forms.
func save(dir string, s *match.Standings) error {
	for name, write := range map[string]func(io.Writer) error{
		"ratings.txt":  s.WriteTable,
		"ratings.json": func(w io.Writer) error { return printJSON(w, s) },
		"ratings.svg":  plot(s).Write,
	} {
		if err := durable.WriteFile(filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	return nil
}

// saveGames writes the games in Arimaa notation.
func saveGames(dir string) error {
	return durable.WriteFile(filepath.Join(dir, "games.tsv"), func(w io.Writer) error { return match.WriteArchive(w, dir) })
}

func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// plot shows the checkpoints of runs over their generations, and everyone else
// as levels to compare them with.
func plot(s *match.Standings) *chart.Plot {
	p := &chart.Plot{
		Title: "Ratings", X: "generation", Y: "Elo",
		Note: "Error bars: 95% intervals of the distance to the mean of all players.",
	}
	if s.Anchor != "" {
		p.Note = "Error bars: 95% intervals of the distance to " + s.Anchor + "."
	}
	curves := map[string][]chart.Point{}
	var runs []string
	for _, player := range s.Players {
		if player.Run == "" {
			p.Levels = append(p.Levels, chart.Level{Name: player.Name, Y: player.Elo, Margin: player.Margin})
			continue
		}
		if curves[player.Run] == nil {
			runs = append(runs, player.Run)
		}
		curves[player.Run] = append(curves[player.Run], chart.Point{X: float64(player.Generation), Y: player.Elo, Margin: player.Margin})
	}
	for _, run := range runs {
		p.Curves = append(p.Curves, chart.Curve{Name: run, Points: curves[run]})
	}
	return p
}
