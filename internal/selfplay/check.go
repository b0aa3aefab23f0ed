package selfplay

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warren/data"
	"warren/game"
	"warren/internal/eval"
	"warren/internal/observe"
)

// Check returns an error if the job cannot have made the record in its first stage with any network. Everything that
// bounds what the game teaches follows from the settings and the game's number: its opening and its end,
// which decisions are searched, their visits, and the weights of their targets. So a forged game that
// passes weighs no more than an honest one. The record must be valid: see [data.Record.Validate].
func (j *Job) Check(r *data.Record) error {
	switch {
	case r.Run != j.Run || r.Seed != j.Seed:
		return fmt.Errorf("it is of the run %.40q with seed %d, not of %q with seed %d", r.Run, r.Seed, j.Run, j.Seed)
	case r.Settings != j.Settings:
		return fmt.Errorf("it was played under the settings %.12q, not %.12q", r.Settings, j.Settings)
	case !isPathName(r.EvalPath):
		return fmt.Errorf("its evaluation path %.40q is not a name of at most %d letters", r.EvalPath, longestPath)
	}
	if err := j.checkCourse(r); err != nil {
		return err
	}
	return j.Config.checkWeights(r)
}

// longestPath bounds the name of an evaluation path, in bytes. Those of the back ends have at most 20.
const longestPath = 64

// isPathName reports whether s may name an evaluation path.
func isPathName(s string) bool {
	return len(s) <= longestPath && !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c > '~' })
}

// checkCourse replays a game, and checks where its opening and the game end, and what each search can
// have found.
func (j *Job) checkCourse(r *data.Record) error {
	c := &j.Config
	opening := c.opening(random(j.Seed, r.Game))
	if want := min(opening, int(r.Turns)); int(r.Opening) != want {
		return fmt.Errorf("its opening has %d turns, and its number gives %d", r.Opening, want)
	}
	visits := c.fullVisits(r.Game)
	g := game.New()
	var legal []game.Action
	for i := range r.Decisions {
		if _, over := c.ending(g, opening); over {
			return fmt.Errorf("decision %d comes after the end of the game, in turn %d", i, g.Turns()+1)
		}
		legal = g.Legal(legal[:0])
		most := visits
		if j.Search.Proofs && !j.Search.LostVisits {
			most += len(legal) // the visit that refutes an action does not count at the root
		}
		if err := c.checkSearch(&r.Decisions[i], len(legal), most); err != nil {
			return fmt.Errorf("decision %d: %w", i, err)
		}
		g.Play(r.Decisions[i].Action)
	}
	switch result, over := c.ending(g, opening); {
	case !over:
		return fmt.Errorf("it ends after %d turns, and the settings let it continue", g.Turns())
	case result != r.Result:
		return fmt.Errorf("its result is %s by %s, and the settings make it %s by %s", r.Result.Winner, r.Result.Reason, result.Winner, result.Reason)
	}
	return nil
}

// checkSearch checks what a search found and teaches in a position with a number of legal actions. A search
// has at most the given number of visits.
func (c *Config) checkSearch(d *data.Decision, legal, most int) error {
	visits, value := uint64(0), float32(0)
	for _, v := range d.Visits {
		visits += uint64(v.Count)
		value = 1
	}
	switch {
	case visits > uint64(most):
		return fmt.Errorf("it has %d visits, and the settings allow %d", visits, most)
	case d.Searched() && legal == 1:
		return errors.New("a search where only one action is legal")
	case d.ValueWeight != value:
		return fmt.Errorf("the value weight is %v, must be %v", d.ValueWeight, value)
	case d.Action.IsPlacement() && (d.Full || d.Policy != nil || visits > 1):
		return errors.New("a search for a placement, which is drawn from the policy")
	case d.Action.IsPlacement() && d.Searched():
		if want := float32(c.SetupPolicyWeight); d.PolicyWeight != want {
			return fmt.Errorf("the policy weight of a placement is %v, must be %v", d.PolicyWeight, want)
		}
	case !d.Full && (d.PolicyWeight != 0 || d.Policy != nil):
		return fmt.Errorf("a policy target of weight %v without a full search", d.PolicyWeight)
	case d.PolicyWeight == 0:
	case c.SurpriseWeight == 0 && d.PolicyWeight != 1, d.PolicyWeight < float32(1-c.SurpriseWeight):
		return fmt.Errorf("the policy weight is %v, and the settings do not allow that", d.PolicyWeight)
	}
	return nil
}

// checkWeights checks that surprise has only shared out the policy weights of a game's full searches, but not added to
// them: their sum is at most the number of these searches.
func (c *Config) checkWeights(r *data.Record) error {
	full, sum := 0, 0.0
	for i := range r.Decisions {
		if d := &r.Decisions[i]; d.Full {
			full++
			sum += float64(d.PolicyWeight)
		}
	}
	if most := float64(full) * (1 + weightTolerance); !(sum <= most) {
		return fmt.Errorf("its policy weights add up to %g, and it has %d full searches", sum, full)
	}
	return nil
}

// weightTolerance is the relative error of a sum of policy weights, which are rounded to float32.
const weightTolerance = 1e-6

// Again plays one game of the job with a network and returns its record. Any worker that evaluates
// positions by the same path makes the same record for that number.
func Again(ctx context.Context, job Job, number uint64, network *eval.Network) (*data.Record, error) {
	job.Config.Workers, job.Config.GamesPerWorker = 1, 1
	job.First, job.Count, job.Done, job.Next = number, 1, nil, nil
	var game single
	if err := Play(ctx, job, Always{network}, &game, observe.Nobody); err != nil {
		return nil, err
	}
	return game.record, nil
}

// single stores the record of the one game.
type single struct{ record *data.Record }

func (s *single) Put(_ context.Context, r *data.Record) error {
	s.record = r
	return nil
}
