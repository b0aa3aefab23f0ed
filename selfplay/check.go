package selfplay

import (
	"context"
	"fmt"

	"warren/data"
	"warren/eval"
	"warren/game"
	"warren/watch"
)

// Check returns an error if the job cannot have made the record, whatever the network: the record
// has another run, seed or settings, or more turns or visits than the settings allow. The record
// must be valid.
func (j *Job) Check(r *data.Record) error {
	c := &j.Config
	switch {
	case r.Run != j.Run || r.Seed != j.Seed:
		return fmt.Errorf("it is of the run %q with seed %d, not of %q with seed %d", r.Run, r.Seed, j.Run, j.Seed)
	case r.Settings != j.Settings:
		return fmt.Errorf("it was played under the settings %.12q, not %.12q", r.Settings, j.Settings)
	case r.Opening < 0 || int(r.Opening) > c.longestOpening():
		return fmt.Errorf("its opening has %d turns, and the settings allow %d", r.Opening, c.longestOpening())
	case int(r.Turns) > int(r.Opening)+c.TurnLimit:
		return fmt.Errorf("it has %d turns after an opening of %d, and the limit is %d", r.Turns, r.Opening, c.TurnLimit)
	case r.Result.Reason == game.Resignation || r.Result.Reason == game.Time:
		return fmt.Errorf("it ends by %s, which does not happen in self-play", r.Result.Reason)
	}
	for i := range r.Decisions {
		visits := uint64(0)
		for _, v := range r.Decisions[i].Visits {
			visits += uint64(v.Count)
		}
		if visits > uint64(c.maxVisits()) {
			return fmt.Errorf("decision %d has %d visits, and the settings allow %d", i, visits, c.maxVisits())
		}
	}
	return nil
}

// Again plays one game of the job with a network and returns its record. Any worker that evaluates
// positions by the same path makes the same record for that number.
func Again(ctx context.Context, job Job, number uint64, network *eval.Network) (*data.Record, error) {
	job.Config.Workers, job.Config.GamesPerWorker = 1, 1
	job.First, job.Count, job.Done, job.Next = number, 1, nil, nil
	var game single
	if err := Play(ctx, job, Always{network}, &game, watch.Nobody); err != nil {
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
