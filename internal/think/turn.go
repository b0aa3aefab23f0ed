package think

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"warren/game"
)

// turnSearch is the search for one turn, or for one action.
type turnSearch struct {
	engine *Engine
	limits Limits
	draw   Draw
	begin  time.Time
	report func(Found)
	turn   []game.Action // the actions chosen so far
	next   int64         // number of nodes at which to report next
}

// firstReport is the number of simulations before a turn's first report. Each
// further report comes when the number has doubled.
const firstReport = 256

// step returns the next action of a turn that has at most left actions to go.
func (t *turnSearch) step(ctx context.Context, left int) (game.Action, error) {
	e := t.engine
	if legal := e.search.Game().Legal(nil); len(legal) == 1 {
		return legal[0], ctx.Err()
	}
	a, err := t.choose(ctx, left)
	if err == nil && len(t.turn) == 0 {
		t.tellLast(a)
	}
	return a, err
}

// choose returns the next action: what the search prefers among the actions that are not
// refused. The tree stays where it is.
func (t *turnSearch) choose(ctx context.Context, left int) (game.Action, error) {
	for {
		a, err := t.searched(ctx, left)
		if err != nil || !t.blunder(a) {
			return a, err
		}
		// What the search prefers next is tested before it continues, or each of many losing steps would cost a search.
		for t.blunder(a) {
			t.engine.search.Refute(a)
			out, ok := t.engine.search.Outcome(0, nil)
			if !ok {
				break // the tree is empty
			}
			a = out.Action
		}
	}
}

// searched returns the action that the search prefers, after its share of the time that is
// left.
func (t *turnSearch) searched(ctx context.Context, left int) (game.Action, error) {
	e := t.engine
	began := time.Now()
	var deadline time.Time
	if t.limits.Time > 0 {
		rest := t.limits.Time - began.Sub(t.begin)
		deadline = began.Add(rest * 2 / time.Duration(left+1))
	}
	e.search.Begin(t.limits.Visits, t.noise())
	look := firstReport // number of simulations at which to check the depth
	err := e.run(ctx, t.limits.Stop, t.limits.Visits, func() bool {
		t.makeRoom()
		t.tell()
		if t.limits.Progress != nil {
			t.limits.Progress(len(t.turn), e.search.Simulations())
		}
		switch {
		case e.search.Simulations() == 0:
			return false // there is nothing to choose from yet
		case !deadline.IsZero() && t.late(deadline):
			return true
		case t.limits.Depth > 0 && e.search.Simulations() >= look:
			// Checked rarely, because a line can be deep by chance for a moment.
			look *= 2
			return t.deepEnough()
		}
		return t.unlimited() && e.search.Full()
	})
	if err != nil {
		return 0, err
	}
	out, ok := e.search.Outcome(t.draw.Temperature, t.draw.Rand)
	if !ok {
		return 0, errors.New("no action is known in a game that is over")
	}
	return out.Action, nil
}

// unlimited reports whether there is no limit on time and visits.
func (t *turnSearch) unlimited() bool { return t.limits.Time == 0 && t.limits.Visits == 0 }

// movedPerSecond is the number of positions that are pruned or copied in a second, at least. On a Xeon it was 2 to 5
// million.
const movedPerSecond = 1 << 21

// makeRoom prunes a full tree, unless the search ends with it. Where that may take all that is left of the turn's time, it
// holds the tree instead.
func (t *turnSearch) makeRoom() {
	s := t.engine.search
	takes := time.Duration(s.Nodes()) * time.Second / movedPerSecond
	late := t.limits.Time > 0 && t.limits.Time-time.Since(t.begin) <= takes
	s.Hold(late)
	if !late && !t.unlimited() && s.Full() {
		s.Prune()
	}
}

// noise returns the source of root noise, nil if the settings have none.
func (t *turnSearch) noise() *rand.Rand {
	if t.engine.config.Search.NoiseFraction == 0 {
		return nil
	}
	return t.draw.Rand
}

// late reports whether the time of a step is over. A step that leaves its side no choice for the
// rest of the turn has the time of that rest.
func (t *turnSearch) late(deadline time.Time) bool {
	now := time.Now()
	return !now.Before(deadline) && (!t.lastChoice() || !now.Before(t.begin.Add(t.limits.Time)))
}

// lastChoice reports whether the choice so far ends the turn or leaves only forced
// actions.
func (t *turnSearch) lastChoice() bool {
	out, ok := t.engine.search.Outcome(0, nil)
	if !ok {
		return false
	}
	play := t.engine.search.Game().Clone()
	side := play.Side()
	play.Play(out.Action)
	for play.Side() == side && !play.Result().Over() {
		legal := play.Legal(nil)
		if len(legal) > 1 {
			return false
		}
		play.Play(legal[0])
	}
	return true
}

// deepEnough reports whether the principal variation reaches the depth limit or
// ends the game.
func (t *turnSearch) deepEnough() bool {
	s := t.engine.search
	pv := s.PV(nil)
	if len(t.turn)+len(pv) >= t.limits.Depth {
		return true
	}
	play := s.Game().Clone()
	for _, a := range pv {
		play.Play(a)
	}
	return play.Result().Over()
}

// tell reports the principal variation if a report is due.
func (t *turnSearch) tell() {
	if t.report != nil && t.engine.search.Simulations() > 0 && t.engine.nodes >= t.next {
		t.found(t.engine.search.PV(slices.Clone(t.turn)))
	}
}

// tellLast reports the variation that begins with the first action of the turn, which may be drawn.
func (t *turnSearch) tellLast(a game.Action) {
	if t.report == nil || t.engine.search.Simulations() == 0 {
		return
	}
	line := t.engine.search.Line(a, nil)
	if len(line) == 0 {
		line = []game.Action{a}
	}
	t.found(line)
}

// found reports the line. The next report is due when the number of nodes has doubled.
func (t *turnSearch) found(line []game.Action) {
	e := t.engine
	for t.next <= e.nodes {
		t.next *= 2
	}
	t.report(Found{Chance: float64(e.search.Value()), Nodes: e.nodes, Time: time.Since(t.begin), PV: line})
}
