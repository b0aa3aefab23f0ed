package evaluate

import (
	"encoding/json"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"warren/internal/arena"
	"warren/internal/durable"
	"warren/internal/metrics"
)

// saveEveryMinute saves the ratings in dir every minute during the tournament,
// until stop is called.
func saveEveryMinute(dir string, t *arena.Tournament, log *slog.Logger) (stop func()) {
	return metrics.Every(time.Minute, func() {
		standings, err := t.Standings()
		if err == nil {
			err = save(dir, standings)
		}
		if err != nil {
			log.Warn("saving the ratings so far failed", "err", err)
		}
	})
}

// save writes the ratings as text, as JSON and as a plot.
func save(dir string, s *arena.Standings) error {
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
	return durable.WriteFile(filepath.Join(dir, "games.tsv"), func(w io.Writer) error { return arena.WriteArchive(w, dir) })
}

func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
