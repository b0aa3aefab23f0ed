package compare

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"warren/data"
	"warren/game"
	"warren/internal/dataset"
	"warren/internal/metrics"
	"warren/internal/plural"
)

// compareGames compares the games with the same number.
func compareGames(ctx context.Context, a, b string, progress *metrics.Progress) (*result, error) {
	shards, err := dataset.Shards(a)
	if err != nil {
		return nil, err
	}
	others, err := dataset.Shards(b)
	if err != nil {
		return nil, err
	}
	read := 0
	done := func() {
		read++
		progress.Update(metrics.Status{Title: "comparing the games", Done: float64(read), Total: float64(len(shards) + len(others))})
	}
	next, stop := iter.Pull2(dataset.Games(shards, done))
	defer stop()
	nextOther, stopOther := iter.Pull2(dataset.Games(others, done))
	defer stopOther()
	r := &result{}
	g, err, _ := next()
	other, errOther, _ := nextOther()
	for (g != nil || other != nil) && cmp.Or(err, errOther, ctx.Err()) == nil {
		here := g != nil && (other == nil || g.Game <= other.Game)
		there := other != nil && (g == nil || other.Game <= g.Game)
		switch {
		case !there:
			r.missing.add(fmt.Sprintf("game %d is not in %s", g.Game, b))
		case !here:
			r.missing.add(fmt.Sprintf("game %d is not in %s", other.Game, a))
		default:
			r.compare(g, other)
		}
		if here {
			g, err, _ = next()
		}
		if there {
			other, errOther, _ = nextOther()
		}
	}
	return r, cmp.Or(err, errOther, ctx.Err())
}

// compare adds the comparison of two games with the same number.
func (r *result) compare(g, other *data.Record) {
	if text := difference(g, other); text != "" {
		r.differ.add(fmt.Sprintf("game %d: %s", g.Game, text))
		return
	}
	r.same++
	r.parts += len(g.Decisions)
}

// difference describes the first difference between two games in what was
// played and searched, empty if there is none. The names of run and settings
// play no part, nor does what the older of two formats cannot hold.
func difference(a, b *data.Record) string {
	for i := range min(len(a.Decisions), len(b.Decisions)) {
		d, e := &a.Decisions[i], &b.Decisions[i]
		switch {
		case d.Action != e.Action:
			g := after(a.Decisions[:i])
			return fmt.Sprintf("decision %d is %s and %s", i, describe(g, d.Action), describe(g, e.Action))
		case !slices.Equal(d.Visits, e.Visits):
			return fmt.Sprintf("decision %d has other visits", i)
		case math.Float32bits(d.Value) != math.Float32bits(e.Value):
			return fmt.Sprintf("decision %d has the value %v and the value %v", i, d.Value, e.Value)
		case d.Full != e.Full || d.PolicyWeight != e.PolicyWeight || d.ValueWeight != e.ValueWeight || !slices.Equal(d.Policy, e.Policy):
			return fmt.Sprintf("decision %d teaches something else", i)
		}
	}
	switch {
	case len(a.Decisions) != len(b.Decisions):
		return fmt.Sprintf("%d and %d decisions", len(a.Decisions), len(b.Decisions))
	case a.Result != b.Result || a.Turns != b.Turns:
		return ended(a) + " and " + ended(b)
	case a.Network != b.Network || a.Generation != b.Generation:
		return fmt.Sprintf("played by generation %d (%.8s) and generation %d (%.8s)", a.Generation, a.Network, b.Generation, b.Network)
	}
	return ""
}

// after returns a game after the actions of some decisions.
func after(decisions []data.Decision) *game.Game {
	g := game.New()
	for i := range decisions {
		g.Play(decisions[i].Action)
	}
	return g
}

// describe writes an action as people do.
func describe(g *game.Game, a game.Action) string {
	return cmp.Or(game.FormatTurn(g, []game.Action{a}), "the end of the turn")
}

// ended says how a game ended.
func ended(r *data.Record) string {
	if !r.Result.Over() {
		return fmt.Sprintf("stopped after %s", plural.Of(int(r.Turns), "turn"))
	}
	return fmt.Sprintf("won by %v (%v) after %s", r.Result.Winner, r.Result.Reason, plural.Of(int(r.Turns), "turn"))
}
