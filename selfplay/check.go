package selfplay

import (
	"context"
	"fmt"
	"math/bits"

	"warren/data"
	"warren/eval"
	"warren/game"
	"warren/turnsearch"
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
	case r.Opponent != "" && j.Opponents == nil:
		return fmt.Errorf("an older network, %.12q, plays a side, and the job has none", r.Opponent)
	case r.Opening < 0 || int(r.Opening) > c.longestOpening():
		return fmt.Errorf("its opening has %d turns, and the settings allow %d", r.Opening, c.longestOpening())
	case int(r.Turns) > int(r.Opening)+c.turnLimit(r.Game):
		return fmt.Errorf("it has %d turns after an opening of %d, and the limit is %d", r.Turns, r.Opening, c.turnLimit(r.Game))
	case r.Missing != 0 && !c.handicapped(r):
		return fmt.Errorf("pieces are missing on the squares %#x, and the settings do not allow that", r.Missing)
	case r.Result.Reason == game.Resignation && !c.resigned(r):
		return fmt.Errorf("%s did not have to resign after %d turns", r.Result.Winner.Other(), r.Turns)
	}
	for i := range r.Decisions {
		visits := uint64(0)
		for _, v := range r.Decisions[i].Visits {
			if c.Unit == turnsearch.Turn {
				visits = max(visits, uint64(v.Count)) // an evaluation may count for several actions
			} else {
				visits += uint64(v.Count)
			}
		}
		if visits > uint64(c.maxVisits()) {
			return fmt.Errorf("decision %d has %d visits, and the settings allow %d", i, visits, c.maxVisits())
		}
	}
	return nil
}

// handicapped reports whether a game can lack the pieces that it lacks. A game that goes on from
// an earlier one lacks the same pieces as that one, which may have had other settings.
func (c *Config) handicapped(r *data.Record) bool {
	if r.Opening > 0 {
		return c.RecordedOpenings > 0
	}
	gold, silver := bits.OnesCount32(uint32(r.Missing)), bits.OnesCount32(uint32(r.Missing>>32))
	return c.HandicapGames > 0 && min(gold, silver) == 0 && max(gold, silver) <= c.HandicapPieces
}

// resigned reports whether the loser of a game had to resign where the game ends.
func (c *Config) resigned(r *data.Record) bool {
	side, turns, ok := r.Resigner(c.ResignBelow)
	return ok && turns == int(r.Turns) && side != r.Result.Winner
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
