package perft

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"warren/game"
	"warren/internal/durable"
	"warren/internal/metrics"
	"warren/internal/visible"
)

// tally counts the games with the same recorded termination.
type tally struct {
	termination string
	games       int
	illegal     int // games with an illegal turn
	differ      int // legal games that do not end as recorded
}

// replayFile replays the games of a file for [game.ReadGames], prints a line for each bad game, and prints
// a summary. It returns an error if any game is bad.
func replayFile(ctx context.Context, path string, out io.Writer, progress *metrics.Progress) error {
	f, err := durable.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	total := size(f)

	var tallies []tally
	bad := 0
	report := func(format string, args ...any) {
		bad++
		fmt.Fprintln(progress.Above(out), visible.Text(fmt.Sprintf(format, args...)))
	}
	for recorded, err := range game.ReadGames(f) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		read, _ := f.Seek(0, io.SeekCurrent)
		progress.Update(metrics.Status{Title: "games", Done: float64(read), Total: total})
		if err != nil {
			report("%s, %v", path, err)
			continue
		}
		i := slices.IndexFunc(tallies, func(t tally) bool { return t.termination == recorded.Termination })
		if i < 0 {
			i = len(tallies)
			tallies = append(tallies, tally{termination: recorded.Termination})
		}
		t := &tallies[i]
		t.games++
		name := strings.TrimSpace("game " + recorded.ID) // a move list has no ID
		m, err := game.ParseMoveList(recorded.MoveList)
		if err != nil {
			t.illegal++
			report("%s (line %d): %v", name, recorded.Line, err)
		} else if want, ok := agrees(&recorded, m); !ok {
			t.differ++
			report("%s (line %d): recorded as %s, but by the rules %s", name, recorded.Line, want, describe(m.Result))
		}
	}
	progress.Close()
	if err := summarize(out, tallies); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	if bad > 0 {
		return fmt.Errorf("%s: %d bad games or lines", path, bad)
	}
	return nil
}

// agrees reports whether the replayed game ends as recorded. If the rules decide, it must
// be won in the recorded way; if the game was stopped from outside, it must be undecided.
// agrees also returns the recorded end in words.
func agrees(recorded *game.RecordedGame, m *game.MoveList) (string, bool) {
	if recorded.Termination == "" { // a move list
		return "", true
	}
	reason, known := recorded.Reason()
	want := game.Result{Winner: recorded.Winner, Reason: reason}
	switch {
	case reason.OnBoard():
		return describe(want), m.Result == want
	case reason == game.Resignation:
		// The text of the game may contain the resignation.
		return describe(want), m.Result == want || !m.Result.Over()
	}
	what := fmt.Sprintf("stopped (%q)", recorded.Termination)
	if known {
		what = "stopped by " + reason.String()
	}
	return what, !m.Result.Over()
}

func describe(r game.Result) string {
	if !r.Over() {
		return "not over"
	}
	return fmt.Sprintf("won by %v (%v)", r.Winner, r.Reason)
}

func summarize(out io.Writer, tallies []tally) error {
	slices.SortStableFunc(tallies, func(a, b tally) int { return b.games - a.games })
	w := bufio.NewWriter(out)
	all := tally{}
	const row = "%-16s %8d %14d %13d %14d\n"
	fmt.Fprintf(w, "%-16s %8s %14s %13s %14s\n", "recorded end", "games", "illegal turns", "board agrees", "board differs")
	for _, t := range tallies {
		name := fmt.Sprintf("other (%s)", visible.Text(t.termination))
		if reason, ok := (&game.RecordedGame{Termination: t.termination}).Reason(); ok {
			name = reason.String()
		} else if t.termination == "i" {
			name = "illegal move"
		} else if t.termination == "" {
			name = "not recorded"
		}
		fmt.Fprintf(w, row, name, t.games, t.illegal, t.games-t.illegal-t.differ, t.differ)
		all.games, all.illegal, all.differ = all.games+t.games, all.illegal+t.illegal, all.differ+t.differ
	}
	fmt.Fprintf(w, row, "all", all.games, all.illegal, all.games-all.illegal-all.differ, all.differ)
	return w.Flush()
}
