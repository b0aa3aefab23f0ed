package perft

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"warren/game"
)

// answer returns the line to print for a position, and reports its progress.
type answer func(ctx context.Context, g *game.Game, p *progress) (string, error)

func countTurns(_ context.Context, g *game.Game, p *progress) (string, error) {
	boards := g.DistinctTurns()
	p.advance(1)
	return fmt.Sprintf("%d %x", len(boards), game.DigestBoards(boards)), nil
}

func countSteps(depth int) answer {
	return func(ctx context.Context, g *game.Game, p *progress) (string, error) {
		prefix := min(3, depth)
		total, err := game.Perft(ctx, g, prefix)
		if err != nil {
			return "", err
		}
		p.begin(int64(total), fmt.Sprintf("sequences of %d steps", prefix))
		leaves, err := perftByPrefix(ctx, g, prefix, depth-prefix, p)
		return fmt.Sprint(leaves), err
	}
}

// perftByPrefix is game.Perft to the depth prefix+rest. Each sequence of prefix actions
// is one unit of progress.
func perftByPrefix(ctx context.Context, g *game.Game, prefix, rest int, p *progress) (leaves uint64, err error) {
	if prefix == 0 {
		leaves, err = game.Perft(ctx, g, rest)
		p.advance(1)
		return leaves, err
	}
	mark := g.Mark()
	for _, a := range g.Legal(nil) {
		g.Play(a)
		n, err := perftByPrefix(ctx, g, prefix-1, rest, p)
		g.Restore(mark)
		if err != nil {
			return 0, err
		}
		leaves += n
	}
	return leaves, nil
}

// eachPosition reads positions and prints the answer to each. It stops at the first line
// that is not a position.
func eachPosition(ctx context.Context, in io.Reader, out, errOut io.Writer, answer answer) error {
	if isTerminal(in) {
		fmt.Fprintln(errOut, "Reading positions such as g [64 squares], one per line; see perft -h.")
	}
	p := newProgress(errOut)
	defer p.clear()
	p.begin(-1, "positions")

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
		if trimmed := strings.TrimSpace(text); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		board, side, err := game.ParsePosition(text)
		if err != nil {
			return fmt.Errorf("standard input, line %d: %w", n, err)
		}
		line, err := answer(ctx, game.FromBoard(board, side), p)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if isTerminal(out) {
			p.clear()
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
