package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"warren/data"
	"warren/internal/durable"
	"warren/internal/eval/device"
	"warren/internal/learn"
	"warren/internal/recipe"
	"warren/net"
)

// damage is a file that a run does without.
type damage struct {
	path  string
	err   error  // names the file, and says why
	then  string // what the run does about it, in the words of the log
	stays bool   // it is no file, and keeps its name
}

// doWithout logs damaged files, and renames them.
func doWithout(all []damage, log *slog.Logger) error {
	for _, d := range all {
		log.Warn(d.then, "path", d.path, "error", d.err)
		if d.stays {
			continue
		}
		if err := os.Rename(d.path, d.path+".damaged"); err != nil {
			return fmt.Errorf("setting aside a damaged file: %w", err)
		}
	}
	return nil
}

// isNoFile reports whether the error of reading what a directory lists says that it is
// no file: a directory, a named pipe, or a link to nothing.
func isNoFile(err error) bool {
	return errors.Is(err, durable.ErrSpecial) || errors.Is(err, fs.ErrNotExist)
}

// isDamage reports whether the error of reading a file says that its content is
// damaged: not that it cannot be opened, nor that another version has written it.
func isDamage(err error) bool {
	return !errors.As(err, new(*fs.PathError)) && !errors.Is(err, net.ErrVersion)
}

// Examine looks at the files that [Open] reads, in the directory of a run, and returns what is wrong with them: each
// problem with what training does about it, and what to do. It changes nothing, and another process may work on the
// run. It calls looked as it gets on with the games, which take longest. A directory that has no run has no problem.
func Examine(ctx context.Context, path string, looked func(done, total int)) (problems []string, err error) {
	d, err := newDir(path)
	if err != nil {
		return nil, err
	}
	if !d.hasBegun() {
		return nil, d.lost()
	}
	refused := func(err error) {
		if err != nil {
			problems = append(problems, fmt.Sprintf("warren train refuses the run: %v.", err))
		}
	}
	without := func(all []damage) {
		for _, d := range all {
			todo := "If you have a copy of the file, put it back first."
			if d.stays {
				todo = "Move it away, or put a copy of the file in its place."
			}
			problems = append(problems, fmt.Sprintf("A file cannot be used: %v. warren train goes on by %s. %s", d.err, d.then, todo))
		}
	}

	before, err := d.begun(slog.New(slog.DiscardHandler))
	refused(err)
	saved, tensors, damaged, err := d.findCheckpoint()
	refused(err)
	without(damaged)
	if before != nil {
		refused(d.continues(before, &saved, tensors))
	}
	if err == nil {
		_, _, _, damaged, err := d.findNetwork(&saved)
		refused(err)
		without(damaged)
	}
	_, damaged, err = d.findRecords()
	refused(err)
	without(damaged)
	_, err = d.discarded()
	refused(err)
	damaged, err = d.findShards(ctx, looked)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	refused(err)
	without(damaged)
	return problems, nil
}

// continues returns an error if the run cannot continue with its own settings from a checkpoint. Without tensors
// nothing has been learned.
func (d *Dir) continues(c *recipe.Config, at *state, tensors []net.Tensor) error {
	c.Device = device.Auto // another takes the place of one that this machine lacks
	if err := c.Validate(); err != nil {
		return fmt.Errorf("the settings in %s: %w", d.config(), err)
	}
	stages, err := c.StageList()
	if err != nil {
		return err
	}
	if err := d.accept(stages, c, at); err != nil || tensors == nil {
		return err
	}
	c = &stages[at.Learner].Config
	n, err := net.New(c.Network, c.Seed)
	if err != nil {
		return err
	}
	s, err := learn.NewState(n, c.Learner)
	if err != nil {
		return err
	}
	return d.fits(s.Restore(tensors))
}

// fits adds to the error of restoring the newest checkpoint, if there is one, what it is about.
func (d *Dir) fits(err error) error {
	if err != nil {
		return fmt.Errorf("the newest checkpoint in %s does not fit the settings: %w", d.learner(), err)
	}
	return nil
}

// findShards returns the damaged shards of the run.
func (d *Dir) findShards(ctx context.Context, looked func(done, total int)) (damaged []damage, err error) {
	_, err = data.Look(d.games(), nil, func(done, total int, why error) error {
		looked(done, total)
		switch {
		case why == nil:
		case data.NotAFile(why):
			damaged = append(damaged, damage{err: why, then: "passing over what has the name of a shard but is not a file", stays: true})
		default:
			damaged = append(damaged, damage{err: why, then: "setting aside a damaged shard; its games will be missing"})
		}
		return context.Cause(ctx)
	})
	return damaged, err
}
