package train

import (
	"math"
	"time"

	"warren/internal/recipe"
)

// schedule says what depends on the progress of a run: how much is to be played and learned next, and
// when. It changes nothing.
type schedule struct {
	stages  []recipe.Stage // at least one
	loop    recipe.Loop    // what all stages have
	measure int            // generations from one measurement to the next; 0 means never
}

func newSchedule(stages []recipe.Stage) schedule {
	return schedule{stages: stages, loop: stages[0].Loop, measure: stages[0].Match.Every}
}

// synchronous reports whether playing and learning alternate.
func (s *schedule) synchronous() bool { return s.loop.Mode == recipe.Sync }

// done returns the fraction of the run that is done, from 0 to 1. It is measured in time or in
// generations, whichever is further. A network that the run was given does not count.
func (s *schedule) done(at *state, elapsed time.Duration) float64 {
	return min(1, max(s.generations(at), s.duration(elapsed)))
}

// reached returns the settings whose limits a run has reached. Each of them alone ends it.
func (s *schedule) reached(at *state, elapsed time.Duration) (keys []string) {
	if s.duration(elapsed) >= 1 {
		keys = append(keys, "loop.duration")
	}
	if s.generations(at) >= 1 {
		keys = append(keys, "loop.generations")
	}
	return keys
}

// duration returns the fraction of the time that is over. It is 0 if the time has no end.
func (s *schedule) duration(elapsed time.Duration) float64 {
	if d := s.loop.Duration; d > 0 {
		return float64(elapsed) / float64(d)
	}
	return 0
}

// generations returns the fraction of the generations that is done. It is 0 if their number has no end.
func (s *schedule) generations(at *state) float64 {
	if n := s.loop.Generations; n > 0 {
		return (float64(at.Generation-at.Start) + at.trained()) / float64(n)
	}
	return 0
}

// stage returns the stage of a run whose newest generation has just ended. It is never an earlier one than
// that of the generation before, and a run that is finished stays where it is.
func (s *schedule) stage(at *state, done float64) int {
	stage := at.Stage
	for done < 1 && stage+1 < len(s.stages) && s.stages[stage+1].Begin <= done {
		stage++
	}
	return stage
}

// rate returns the learning rate of the next minibatch. It rises and falls within the learner's stage.
func (s *schedule) rate(at *state, done float64) float64 {
	begin, end := s.stages[at.Learner].Begin, 1.0
	if next := at.Learner + 1; next < len(s.stages) {
		end = s.stages[next].Begin
	}
	return s.stages[at.Learner].Learner.Rate.At(at.Step-at.Begun, (done-begin)/(end-begin))
}

// games returns the number of games that the next generation is trained after.
func (s *schedule) games(at *state) int { return at.Games + s.loop.Games(at.Generation) }

// samples returns the number of samples to train for a number of positions.
func (s *schedule) samples(at *state, positions int) int64 {
	return int64(math.Round(s.stages[at.Stage].Loop.ReplayRatio * float64(positions)))
}

// bound returns the number of games at which self-play must wait for the learner. Generation 0 plays its
// own games and at most one more for each worker: they are the weakest, and cost almost nothing.
func (s *schedule) bound(at *state) int {
	switch {
	case at.Generation > 0:
		return at.Games + int(math.Ceil(s.loop.MaxLead*float64(s.loop.GamesPerGeneration)))
	case at.Samples >= at.Target: // collect waits for as many; earlier ones may be lost
		return at.Games + s.loop.BootstrapGames
	}
	return at.Games
}

func (s *schedule) measures(generation int, finished bool) bool {
	return s.measure > 0 && (generation%s.measure == 0 || finished)
}
