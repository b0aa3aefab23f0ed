package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"warren/internal/arena"
	"warren/internal/durable"
	"warren/internal/metrics"
	"warren/internal/plural"
	"warren/internal/puzzle"
)

// solved is how many puzzles a player solved, as JSON.
type solved struct {
	Puzzles int     `json:"puzzles"` // that it tried
	Solved  int     `json:"solved"`
	Rate    float64 `json:"rate"` // share of them that it solved
	Low     float64 `json:"low"`  // 95% interval of the share
	High    float64 `json:"high"`
}

// trials is what a player did with puzzles, as JSON.
type trials struct {
	Player string `json:"player"`
	solved
	Kinds  map[string]*solved `json:"kinds"`
	Failed []string           `json:"failed"` // ids, in the order of the file
}

// puzzleScore is the result of --puzzles as JSON.
type puzzleScore struct {
	Puzzles int       `json:"puzzles"`
	Seed    uint64    `json:"seed"`
	Players []*trials `json:"players"`
}

func (s *solved) add(right bool) {
	s.Puzzles++
	if right {
		s.Solved++
	}
	t := arena.Tally{Wins: s.Solved, Losses: s.Puzzles - s.Solved}
	s.Rate = t.Rate()
	s.Low, s.High = t.Interval()
}

// puzzles lets every player try every puzzle, and prints which share each solves.
func (f *flags) puzzles(ctx context.Context, out io.Writer, entrants []*arena.Entrant) error {
	file, err := puzzle.Open(f.PuzzleFile)
	if err != nil {
		return err
	}
	if f.Out != "" {
		if err := puzzle.Writable(f.Out); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	for _, e := range entrants {
		if err := e.Startable(); err != nil {
			return err
		}
	}
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	score := puzzleScore{Puzzles: len(file.Puzzles), Seed: f.Seed}
	failures := make([]int, len(file.Puzzles))
	for _, e := range entrants {
		var right []*bool // stays nil after a player that failed or was stopped: the others try none
		if err == nil {
			var done atomic.Int64
			before, total := len(score.Players)*score.Puzzles, len(entrants)*score.Puzzles
			stop := progress.Every(func() metrics.Status {
				return f.limited(metrics.Status{Title: e.Name(), Done: float64(before) + float64(done.Load()), Total: float64(total)}, time.Until(f.end))
			})
			right, err = f.try(ctx, e, file, &done)
			stop()
		}
		score.Players = append(score.Players, newTrials(e.Name(), file, right))
		for i, r := range right {
			if r != nil && !*r {
				failures[i]++
			}
		}
	}
	progress.Close()
	why, err := stopped(err)
	switch {
	case why != "":
		fmt.Fprintf(os.Stderr, "%s The shares cover the puzzles tried so far.\n", why)
	case err != nil && !score.tried():
		return err
	case err != nil:
		fmt.Fprintln(os.Stderr, "A player failed. The shares cover the puzzles tried before.")
	case f.Out != "":
		file.Trials = len(entrants)
		for i := range failures {
			file.Puzzles[i].Failures = failures[i]
		}
		err = durable.WriteFile(f.Out, file.Write)
	}
	if f.JSON { // whatever has failed
		return errors.Join(err, printJSON(out, score))
	}
	return errors.Join(err, score.write(out))
}

// tried reports whether a player has tried a puzzle.
func (s *puzzleScore) tried() bool {
	return slices.ContainsFunc(s.Players, func(t *trials) bool { return t.Puzzles > 0 })
}

// try lets a player try all puzzles, and counts those done. It returns whether each answer was right; nil for those not tried.
func (f *flags) try(ctx context.Context, e *arena.Entrant, file *puzzle.File, done *atomic.Int64) ([]*bool, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		group sync.WaitGroup
		right = make([]*bool, len(file.Puzzles))
		next  = make(chan int)
	)
	workers := f.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for range workers {
		group.Go(func() {
			for i := range next {
				p := &file.Puzzles[i]
				turn, err := arena.Turn(ctx, e, p.Game(), f.Seed+uint64(i))
				if err != nil && (ctx.Err() != nil || !errors.As(err, new(*arena.Forfeit))) {
					cancel(fmt.Errorf("%s at the puzzle %s: %w", e.Name(), p.ID, err))
					continue
				}
				right[i] = new(err == nil && p.Right(turn))
				done.Add(1)
			}
		})
	}
	for i := range file.Puzzles {
		if ctx.Err() == nil {
			next <- i
		}
	}
	close(next)
	group.Wait()
	return right, context.Cause(ctx)
}

func newTrials(player string, file *puzzle.File, right []*bool) *trials {
	t := &trials{Player: player, Kinds: map[string]*solved{}, Failed: []string{}}
	for i, r := range right {
		if r == nil {
			continue
		}
		p := &file.Puzzles[i]
		kind := t.Kinds[p.Kind.String()]
		if kind == nil {
			kind = &solved{}
			t.Kinds[p.Kind.String()] = kind
		}
		kind.add(*r)
		t.solved.add(*r)
		if !*r {
			t.Failed = append(t.Failed, p.ID)
		}
	}
	return t
}

// write writes a table: one line for each player, with the share of each kind in percent.
func (s *puzzleScore) write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\tall\t%s\n", plural.Of(s.Puzzles, "puzzle"), strings.Join(puzzle.Names(), "\t"))
	cell := func(s *solved) string {
		if s == nil || s.Puzzles == 0 {
			return "-"
		}
		return fmt.Sprintf("%.0f%% (%.0f to %.0f)", 100*s.Rate, 100*s.Low, 100*s.High)
	}
	for _, t := range s.Players {
		fmt.Fprintf(w, "%s\t%s", t.Player, cell(&t.solved))
		for _, name := range puzzle.Names() {
			fmt.Fprintf(w, "\t%s", cell(t.Kinds[name]))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// checkPuzzles returns an error for a flag that has no effect on puzzles, or only on them.
func (f *flags) checkPuzzles() error {
	if !f.Puzzles {
		if f.PuzzleFile != "" {
			return errors.New("--puzzle-file is for puzzles: add --puzzles")
		}
		return nil
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"games", f.Games != nil}, {"until", f.Until > 0}, {"gauntlet", f.Gauntlet > 0}, {"sprt", f.Sprt != ""}, {"anchor", f.Anchor != ""},
		{"openings", f.Openings != "" && f.Openings != "own"}, {"opening-turns", f.OpeningTurn > 0},
		{"temperature", f.Temperature != usualTemperature}, {"temperature-turns", f.TemperatureTurns != usualTemperatureTurns},
		{"turn-limit", f.TurnLimit != usualTurnLimit},
	} {
		if flag.given {
			return fmt.Errorf("--%s is for games, and has no effect with --puzzles", flag.name)
		}
	}
	return nil
}
