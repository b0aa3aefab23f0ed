package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"warren/alphabeta"
	"warren/game"
	"warren/match"
	"warren/mcts"
)

// adviser is a network that is asked what it thinks.
type adviser struct {
	evaluator match.Evaluator
	config    mcts.Config // of the search
	visits    int
}

// evaluate returns the network's priors of the legal actions and the chance to
// win of the side to move, without a search.
func (a *adviser) evaluate(g *game.Game, legal []game.Action) (priors []float32, value float32, err error) {
	priors, values := make([]float32, len(legal)), []float32{0}
	err = a.evaluator.Evaluate([]*game.Game{g}, [][]game.Action{legal}, [][]float32{priors}, values)
	return priors, values[0], err
}

// search thinks about g for that many visits. It tells report how many it has
// made so far.
func (a *adviser) search(ctx context.Context, s *mcts.Search, visits int, report func(done int)) error {
	for s.Simulations() < visits {
		if err := ctx.Err(); err != nil {
			return err
		}
		if leaf, status := s.Select(); status == mcts.Evaluate {
			priors, value, err := a.evaluate(leaf.Game, leaf.Legal)
			if err != nil {
				return err
			}
			s.Expand(leaf, priors, value)
		}
		report(s.Simulations())
	}
	return nil
}

// advice is what a search found.
type advice struct {
	visits         int
	value, network float32 // the mover's chance to win: the search's, and the network's alone
	steps          []mcts.MoveStats
	line           []game.Action // principal variation
	wins           bool          // whether turn wins at once
	turn           []game.Action // the rest of the turn, each step searched anew
}

func (a *adviser) advise(ctx context.Context, g *game.Game, visits int, report func(done, total int)) (*advice, error) {
	s := mcts.New(a.config, visits)
	s.Reset(g, nil)
	found := &advice{visits: visits}
	var err error
	if _, found.network, err = a.evaluate(g, g.Legal(nil)); err != nil {
		return nil, err
	}
	left := max(1, g.StepsLeft())
	if g.InSetup() {
		for k := range game.Kind(game.NumKinds) {
			left += g.SetupLeft(k)
		}
		left--
	}
	rng := rand.New(rand.NewPCG(0, 0)) // not used at temperature 0
	for step := 0; !s.Game().Result().Over() && s.Game().Side() == g.Side() && s.Game().InSetup() == g.InSetup(); step++ {
		err := a.search(ctx, s, visits, func(done int) { report(step*visits+done, left*visits) })
		if err != nil {
			return nil, err
		}
		if step == 0 {
			found.value, found.steps, found.line = s.Value(), s.Root(nil), s.PV(nil)
		}
		best, ok := s.Choose(0, rng)
		if !ok {
			break
		}
		found.turn = append(found.turn, best)
		s.Advance(best)
	}
	if winning := alphabeta.Winning(g); len(winning) > 0 {
		found.turn, found.wins = winning, true
	}
	slices.SortStableFunc(found.steps, func(x, y mcts.MoveStats) int { return cmp.Compare(y.Visits, x.Visits) })
	return found, nil
}

// shown is how many steps of an advice are listed.
const shown = 6

// write says what was found in g.
func (f *advice) write(text *strings.Builder, g *game.Game) {
	fmt.Fprintf(text, "%d visits: %v wins with %.1f%% (the network alone says %.1f%%)\n", f.visits, g.Side(), 100*f.value, 100*f.network)
	fmt.Fprintf(text, "  visits       Q   prior  %s\n", map[bool]string{true: "placement", false: "step"}[g.InSetup()])
	for _, s := range f.steps[:min(shown, len(f.steps))] {
		q := "      -"
		if s.Visits > 0 {
			q = fmt.Sprintf("%6.1f%%", 100*s.Q)
		}
		fmt.Fprintf(text, "  %6d %s %6.1f%%  %s\n", s.Visits, q, 100*s.Prior, name(g, s.Action))
	}
	if !g.InSetup() {
		fmt.Fprintf(text, "  expected: %s\n", line(g, f.line))
	}
	fmt.Fprintf(text, "  play: %s", game.FormatTurn(g, f.turn))
	if f.wins {
		text.WriteString(", which wins at once")
	}
	text.WriteString("\n")
}

// name is an action as it is typed.
func name(g *game.Game, a game.Action) string {
	if a == game.Pass {
		return "end"
	}
	return game.FormatTurn(g, []game.Action{a})
}

// line writes actions that may go through several turns.
func line(g *game.Game, actions []game.Action) string {
	g = g.Clone()
	var turns []string
	for len(actions) > 0 {
		play, n := g.Clone(), 0
		for n < len(actions) && play.Turns() == g.Turns() {
			play.Play(actions[n])
			n++
		}
		text := g.TurnLabel() + " " + game.FormatTurn(g, actions[:n])
		turns = append(turns, strings.TrimSpace(text))
		g, actions = play, actions[n:]
	}
	return strings.Join(turns, "  ")
}
