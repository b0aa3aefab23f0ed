package bench

import (
	"errors"
	"sync"
	"time"

	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/learn"
	learning "warren/internal/learn/device"
)

// accelerated runs Warren's network on a device that --device names: a graphics processor, or
// the tile unit. It keeps the state of the last job for the next turn.
type accelerated struct {
	material *material
	name     string
	job      job
	streams  []eval.Stream // one for each thread
	flying   int           // batches of a stream that keep the device busy
	trainer  learn.Trainer
	steps    int
}

// prepare prepares a job and releases the state of the last one.
func (a *accelerated) prepare(j job) error {
	if err := a.close(); err != nil {
		return err
	}
	*a = accelerated{material: a.material, name: a.name, job: j}
	if j.op == training {
		c := plainAdam(j.batch)
		c.Device = a.name
		var err error
		a.trainer, err = learning.New(a.material.network.Clone(), c)
		return err
	}
	backend, err := device.Open(a.material.network, a.name)
	if err != nil {
		return err
	}
	a.flying = max(backend.Attributes().Depth, 1)
	for range j.threads {
		stream, err := backend.Open(j.batch)
		if err != nil {
			return err
		}
		a.streams = append(a.streams, stream)
	}
	return nil
}

// rate runs the job for one turn and returns positions per second.
func (a *accelerated) rate(j job) (float64, error) {
	if a.job != j {
		if err := a.prepare(j); err != nil {
			return 0, err
		}
	}
	if j.op == training {
		return a.train(j)
	}
	rates, errs := make(rates, j.threads), make([]error, j.threads)
	var all sync.WaitGroup
	for i, stream := range a.streams {
		all.Go(func() { rates[i], errs[i] = a.infer(j, stream, i*a.flying) })
	}
	all.Wait()
	return rates.sum(), errors.Join(errs...)
}

// infer evaluates positions as self-play does: it encodes them, sends them, and takes back the
// probabilities of their legal actions, with as many batches in flight as the device wants. The
// first of its batches is the given one. The turn begins and ends with nothing in flight.
func (a *accelerated) infer(j job, stream eval.Stream, first int) (float64, error) {
	var batches []*eval.Batch
	for i := range a.flying {
		batches = append(batches, a.material.evaluation(first+i, j.batch))
	}
	done, start := 0, time.Now()
	for _, b := range batches {
		if err := stream.Submit(b); err != nil {
			return 0, err
		}
	}
	for time.Since(start) < j.time {
		b, err := stream.Collect()
		if err != nil {
			return 0, err
		}
		done += j.batch
		if err := stream.Submit(b); err != nil {
			return 0, err
		}
	}
	for range a.flying {
		if _, err := stream.Collect(); err != nil {
			return 0, err
		}
		done += j.batch
	}
	return float64(done) / time.Since(start).Seconds(), nil
}

// train makes steps. Each waits for its losses. Where the trainer can, the next batch is sent meanwhile, as in a run.
func (a *accelerated) train(j job) (float64, error) {
	steps, start := 0, time.Now()
	var ahead *learn.Batch // what the trainer has already
	for time.Since(start) < j.time {
		b := ahead
		if b == nil {
			b = a.material.part(a.steps, j.batch)
		}
		ahead = nil
		a.steps++
		steps++
		_, err := learn.StepAhead(a.trainer, b, 1e-5, func() *learn.Batch {
			ahead = a.material.part(a.steps, j.batch)
			return ahead
		})
		if err != nil {
			return 0, err
		}
	}
	return float64(steps*j.batch) / time.Since(start).Seconds(), nil
}

func (a *accelerated) close() (err error) {
	for _, stream := range a.streams {
		err = errors.Join(err, stream.Close())
	}
	if a.trainer != nil {
		err = errors.Join(err, a.trainer.Close())
	}
	a.streams, a.trainer = nil, nil
	return err
}
