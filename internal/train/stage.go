package train

import (
	"fmt"
	"strings"

	"warren/data"
	"warren/internal/quoted"
	"warren/internal/recipe"
	"warren/internal/selfplay"
)

// rulesOf returns the settings of the games of each stage.
func rulesOf(stages []recipe.Stage) ([]selfplay.Rules, error) {
	var all []selfplay.Rules
	for _, s := range stages {
		hash, err := recipe.HashOfGames(s.SelfPlay, s.Search)
		if err != nil {
			return nil, err
		}
		all = append(all, selfplay.Rules{Config: s.SelfPlay, Search: s.Search, Settings: hash})
	}
	return all, nil
}

// enterStage puts the newest generation into the stage that its progress asks for. The learner follows with
// [training.advance], after it has published the network of that generation. If the network grows there, the
// smaller one plays until the larger one has been trained on what the replay window holds.
func (r *Run) enterStage() error {
	now := &r.progress.state
	stage := r.progress.schedule.stage(now, r.progress.done())
	if stage == now.Stage {
		return nil
	}
	changes, err := r.stages[stage].Changes(&r.stages[now.Stage])
	if err != nil {
		return err
	}
	c, again := &r.stages[stage], 0
	if c.Network != r.stages[now.Stage].Network {
		again = min(c.Data.WindowPositions, now.Positions-r.store.index.Missing(now.Moved).Positions)
	}
	r.progress.set(func(s *state) { s.Stage, s.Again = stage, again })
	var changed []string
	for _, x := range changes {
		changed = append(changed, x.Key+"="+quoted.Add(x.After))
	}
	r.log.Info("a stage of the run begins", "stage", stage+1, "of", len(r.stages), "generation", now.Generation, "changes", strings.Join(changed, " "))
	return nil
}

// reportGrowth says in the log that the learner's network has grown, and how far it is from being published.
func (r *Run) reportGrowth() {
	if now := &r.progress.state; now.Samples < now.Grown {
		r.log.Info("the network has grown: the smaller one plays until the larger one is trained on the replay window",
			"network", r.training.config.Network, "samples", now.Target-now.Samples)
	}
}

// advance begins the stage of the newest generation, unless the learner has done so: like a run that begins
// with the newest network, which grows if the stage has a larger one, with a fresh optimiser, and with the replay
// window that this stage has. A kill before the next checkpoint costs nothing: the learner of the stage before
// advances again.
func (t *training) advance() error {
	stage := t.progress.state.Stage
	if stage == t.progress.state.Learner {
		return nil
	}
	c := &t.stages[stage].Config
	n, err := t.Snapshot()
	if err != nil {
		return err
	}
	if n.Config != c.Network {
		if n, err = n.Grow(c.Network, c.Seed); err != nil {
			return fmt.Errorf("beginning stage %d: %w", stage+1, err)
		}
	}
	err = t.Close() // first, because the device may have no memory for both
	if t.learner = nil; err == nil {
		t.learner, err = newLearner(c, n, t.trainers)
	}
	if err != nil {
		return fmt.Errorf("beginning stage %d: %w", stage+1, err)
	}
	t.progress.set(func(s *state) { s.Learner, s.Begun = stage, s.Step })
	t.begun = t.progress.state.Begun
	return t.store.configure(c)
}

// configure gives the store the settings of another stage. Like discard, only the goroutine that learns calls it.
func (s *Store) configure(c *recipe.Config) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, now := s.config.Data, c.Data
	if s.config = *c; before == now {
		return nil
	}
	if err := s.renew(func(x *data.Index) error { return s.windows.Configure(now, x) }); err != nil {
		return fmt.Errorf("changing the replay window: %w", err)
	}
	return nil
}
