package perft

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"warren/game"
	"warren/internal/metrics"
)

// An answer returns the line to print for a position. It may report which share of the work is done.
type answer func(ctx context.Context, g *game.Game, report func(share float64)) (string, error)

func countTurns(_ context.Context, g *game.Game, _ func(float64)) (string, error) {
	boards := g.DistinctTurns()
	return fmt.Sprintf("%d %x", len(boards), game.DigestBoards(boards)), nil
}

// countSteps counts piece by piece, so that it can report and stop in between. A piece is what follows the first
// two actions.
func countSteps(depth int) answer {
	return func(ctx context.Context, g *game.Game, report func(float64)) (string, error) {
		first := min(2, depth)
		pieces := []*game.Game{g}
		for range first {
			var longer []*game.Game
			for _, p := range pieces {
				for _, a := range p.Legal(nil) {
					next := p.Clone()
					next.Play(a)
					longer = append(longer, next)
				}
			}
			pieces = longer
		}
		var leaves uint64
		for i, p := range pieces {
			if err := ctx.Err(); err != nil {
				return "", err
			}
			n, err := game.Perft(ctx, p, depth-first)
			if err != nil {
				return "", err
			}
			leaves += n
			report(float64(i+1) / float64(len(pieces)))
		}
		return fmt.Sprint(leaves), nil
	}
}

// eachPosition reads positions and prints the answer to each. It stops at the first line
// that is not a position.
func eachPosition(ctx context.Context, in *os.File, out io.Writer, progress *metrics.Progress, answer answer) error {
	typed := term.IsTerminal(int(in.Fd()))
	if typed {
		fmt.Fprintln(os.Stderr, "Reading positions such as g [64 squares], one per line; see warren perft -h.")
	}
	out = progress.Above(out)
	total, read := size(in), 0.0

	next, stop := readLines(ctx, in)
	defer stop()
	for n := 1; ; n++ {
		text, err := next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		before := read
		read += float64(len(text) + 1)
		if trimmed := strings.TrimSpace(text); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		board, side, err := game.ParsePosition(text)
		if err != nil {
			return fmt.Errorf("standard input, line %d: %w", n, err)
		}
		report := func(share float64) {
			status := metrics.Status{Title: fmt.Sprintf("line %d", n), Done: before + share*(read-before), Total: total}
			if total == 0 && share > 0 { // the end of the input is not known, and that of the line is
				status.Done, status.Total = share, 1
			}
			progress.Update(status)
		}
		if !typed { // a person sees the progress of long answers only
			report(0)
		}
		line, err := answer(ctx, game.FromBoard(board, side), report)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return fmt.Errorf("writing the answer to line %d: %w", n, err)
		}
	}
}

// readLines reads lines in the background, so that an interrupt takes effect without
// waiting for the next line. The function next returns io.EOF after the last line. The
// function stop ends the reading.
func readLines(ctx context.Context, in io.Reader) (next func() (string, error), stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	lines := make(chan string)
	var readErr error
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
		if readErr = scanner.Err(); errors.Is(readErr, bufio.ErrTooLong) {
			readErr = fmt.Errorf("a line of more than %d bytes", bufio.MaxScanTokenSize)
		}
	}()
	next = func() (string, error) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		select {
		case line, ok := <-lines:
			switch {
			case ok:
				return line, nil
			case readErr != nil:
				return "", fmt.Errorf("reading standard input: %w", readErr)
			}
			return "", io.EOF
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return next, cancel
}
