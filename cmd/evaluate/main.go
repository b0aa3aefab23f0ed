// Command evaluate plays a match between two networks, or of a network against
// the random player, and prints the score with its error bar.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"warren/game"
	"warren/internal/console"
	"warren/match"
	"warren/mcts"
	"warren/metrics"
	"warren/net"
)

const description = `Play a match and print the score.

The games come in pairs with the same openings and the colours exchanged. Both sides search with the
same number of visits for every step, unless --opponent-visits says otherwise. The interval printed is
the 95% interval of the chance to win a game.

Examples:
  evaluate runs/quick/networks/gen-00040.safetensors random
  evaluate --games 400 --visits 64 runs/a/networks/gen-00040.safetensors runs/b/networks/gen-00012.safetensors`

type flags struct {
	Player   string `arg:"" help:"The player: a network (.safetensors), or 'random'."`
	Opponent string `arg:"" help:"The opponent: a network (.safetensors), or 'random'."`

	Games            int     `default:"100" placeholder:"N" help:"Games to play, rounded up to whole pairs. Default: 100."`
	Visits           int     `default:"48" placeholder:"N" help:"Root visits for every step. Default: 48, as the quick preset plays."`
	OpponentVisits   int     `placeholder:"N" help:"Root visits of the opponent. Default: as --visits."`
	Temperature      float64 `default:"1" placeholder:"T" help:"Temperature of the setup and the first turns, so that games differ. Default: 1."`
	TemperatureTurns int     `default:"4" placeholder:"N" help:"Turns of both players together that the temperature lasts. Default: 4."`
	TurnLimit        int     `default:"200" placeholder:"N" help:"Turns of both players together after which the official score decides. Default: 200."`
	Seed             uint64  `default:"1" placeholder:"N" help:"Seed of the match. Default: 1."`
	Workers          int     `placeholder:"N" help:"Games at once. Default: one for every core."`
	JSON             bool    `help:"Print the score as JSON."`
}

func main() {
	var f flags
	console.Parse(&f, "evaluate", description)
	console.Run("evaluate", f.run)
}

func (f *flags) run(ctx context.Context) error {
	if _, err := net.Kernels(); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if f.OpponentVisits == 0 {
		f.OpponentVisits = f.Visits
	}
	a, err := f.player(f.Player, f.Visits)
	if err != nil {
		return err
	}
	b, err := f.player(f.Opponent, f.OpponentVisits)
	if err != nil {
		return err
	}
	progress := metrics.NewProgress(os.Stderr, metrics.ProgressOptions{})
	defer progress.Close()
	var won, turns int
	played := 0
	score, err := match.Play(ctx, match.Config{Games: f.Games, Seed: f.Seed, TurnLimit: f.TurnLimit, Workers: f.Workers}, a, b,
		func(g *match.Game) {
			played++
			turns += g.Turns
			if g.Won() {
				won++
			}
			progress.Update(metrics.Status{
				Title: "match", Done: float64(played), Total: float64(f.Games + f.Games%2),
				Values: []metrics.Value{{Name: "won", Value: float64(won)}, {Name: "lost", Value: float64(played - won)},
					{Name: "turns/game", Value: float64(turns) / float64(played)}},
			})
		})
	progress.Close()
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if ctx.Err() != nil {
		fmt.Fprintln(os.Stderr, "Stopped; the score is that of the games finished so far.")
	}
	if f.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(score)
	}
	fmt.Printf("%s against %s: %v\n", a.Name(), b.Name(), score)
	for reason, n := range score.Reasons {
		if n > 0 {
			fmt.Printf("  %d by %v\n", n, game.Reason(reason))
		}
	}
	return nil
}

// check refuses flags that are out of range, by name.
func (f *flags) check() error {
	for _, c := range []struct {
		name     string
		value    float64
		min, max float64
	}{
		{"--games", float64(f.Games), 1, 1e6},
		{"--visits", float64(f.Visits), 1, 1e6},
		{"--opponent-visits", float64(f.OpponentVisits), 0, 1e6},
		{"--temperature", f.Temperature, 0, 10},
		{"--temperature-turns", float64(f.TemperatureTurns), 0, 1e4},
		{"--turn-limit", float64(f.TurnLimit), 1, 1e4},
		{"--workers", float64(f.Workers), 0, 1024},
	} {
		if !(c.value >= c.min && c.value <= c.max) {
			return fmt.Errorf("%s is %g, must be from %g to %g", c.name, c.value, c.min, c.max)
		}
	}
	return nil
}

func (f *flags) player(name string, visits int) (match.Player, error) {
	if name == "random" {
		return match.Random{}, nil
	}
	n, meta, err := net.Load(name)
	if err != nil {
		return nil, err
	}
	label := filepath.Base(name)
	if run := meta["run"]; run != "" {
		label = run + "/" + label
	}
	return &match.Searcher{
		Label: label, Search: mcts.DefaultConfig(), Visits: visits,
		Temperature: f.Temperature, TemperatureTurns: f.TemperatureTurns,
		NewEvaluator: func(batch int) (match.Evaluator, error) { return net.NewEvaluator(n, batch), nil },
	}, nil
}
