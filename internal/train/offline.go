package train

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"warren/game"
	"warren/internal/learn"
	"warren/internal/learn/device"
	"warren/internal/metrics"
	"warren/internal/recipe"
	"warren/internal/settings"
	"warren/net"
)

// Offline trains a network on recorded games, without playing.
type Offline struct {
	config  recipe.Config
	games   *Recorded
	learner *learner
	from    string // hash of the weights that it begins with; empty for a fresh network
	steps   int64
	seen    *outcomes // in held-out games

	mu        sync.Mutex // guards what Status reads
	step      int64      // minibatches trained
	losses    learn.Losses
	measuring bool

	mean      learn.Losses // since the last measurement
	forecasts []Forecast
	pieces    []float64 // the regression by pieces, from the training games
}

// Files in the directory that warren learn writes.
const (
	LearnedFile = "network.safetensors"
	// UnfinishedFile says which training works there. It is there from before the first figures until after the network
	// is saved for the last time, so one that a kill has left says that the training can be repeated.
	UnfinishedFile = "unfinished"
)

// measurements is the number of measurements of a training, not counting that of the network before it.
const measurements = 6

// forecastPositions is about the number of positions that forecasts are compared on.
const forecastPositions = 10_000

// NewOffline prepares the training of n on games for a number of minibatches. It trains n itself, not a copy; from is the
// hash of the network that n has grown from. If n is nil, it trains a fresh network, made from the seed. Only the
// settings device, seed, network, data and learner have an effect. The log says when a graphics processor learns, or
// cannot; a lost one ends the training.
func NewOffline(c recipe.Config, games *Recorded, n *net.Network, from string, steps int64, log *slog.Logger) (_ *Offline, err error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if have := games.Train.Positions(); have < c.Learner.Batch {
		return nil, fmt.Errorf("the games of %s have %d positions to train on, fewer than one minibatch (learner.batch %d)",
			games.runs, have, c.Learner.Batch)
	}
	o := &Offline{config: c, games: games, from: from, steps: steps}
	if n == nil {
		if n, err = net.New(c.Network, c.Seed); err != nil {
			return nil, err
		}
	}
	if o.learner, err = newLearner(&c, n, device.Choose(c.Learner.Device, log)); err != nil {
		return nil, err
	}
	o.seen = newOutcomes(games.HeldOut, forecastPositions)
	if len(o.seen.games) > 0 {
		if others := newOutcomes(games.Train, forecastPositions); len(others.games) > 0 {
			o.pieces = others.regression()
			o.forecasts = append(o.forecasts, o.seen.byPieces(o.pieces))
		}
		o.forecasts = append(o.forecasts, o.seen.bySearch())
	}
	return o, nil
}

// StepsOf returns the number of minibatches with as many samples as the training games have positions, the
// given number of times.
func StepsOf(passes float64, games *Recorded, c learn.Config) int64 {
	return int64(math.Ceil(passes * float64(games.Train.Positions()) / float64(c.Batch)))
}

// Train trains the network to the end or to the end of the context, which is not an error. It measures the
// network before the first step and six times on the way, and writes the losses and forecasts to series.
// After each measurement on the way it calls save.
func (o *Offline) Train(ctx context.Context, series metrics.Sink, save func() error) error {
	if err := o.measure(series); err != nil {
		return err
	}
	for o.step < o.steps && ctx.Err() == nil {
		losses, err := o.learner.train(o.games.Train, o.step, o.rate())
		if err != nil {
			return err
		}
		o.mean.Add(losses)
		now := slices.Clone(o.mean)
		o.set(func() { o.step, o.losses = o.step+1, now })
		if o.step*measurements/o.steps > (o.step-1)*measurements/o.steps {
			if err := errors.Join(o.measure(series), save()); err != nil {
				return err
			}
		}
	}
	return nil
}

// rate returns the learning rate of the next minibatch.
func (o *Offline) rate() float64 {
	return o.config.Learner.Rate.At(o.step, float64(o.step)/float64(o.steps))
}

// measure adds the network as it is to the series and the forecasts.
func (o *Offline) measure(series metrics.Sink) error {
	o.set(func() { o.measuring = true })
	defer o.set(func() { o.measuring = false })
	p := point{metrics.Point{Step: o.step, Time: time.Now()}}
	p.losses("loss", o.mean)
	o.mean = nil
	if o.games.HeldOut.Positions() > 0 {
		held, err := o.learner.measure(o.games.HeldOut)
		if err != nil {
			return err
		}
		p.losses("held_out", held)
	}
	if len(o.seen.games) > 0 {
		if o.step == 0 {
			for _, f := range o.forecasts {
				p.forecast("outcome/"+f.By, f)
			}
		}
		n, err := o.learner.Snapshot()
		if err != nil {
			return err
		}
		f, err := o.seen.byNetwork(n, o.config.Device, fmt.Sprint("step ", o.step))
		if err != nil {
			return err
		}
		o.forecasts = append(o.forecasts, f)
		p.forecast("outcome/value", f)
	}
	p.add("total/samples", float64(o.step*int64(o.config.Learner.Batch)))
	p.add("learner/rate", o.rate())
	return series.Write(p.Point)
}

// Steps returns the number of minibatches trained so far.
func (o *Offline) Steps() int64 { return o.step }

// Forecasts returns how well the winners of held-out games are predicted: by the differences in
// pieces, weighed by a logistic regression on the training games, by the recorded root values, and
// by the network at each measurement. Only games that were decided on the board count; Forecasts
// also returns their number and the number of their positions. Without such games there are no
// forecasts.
func (o *Offline) Forecasts() (list []Forecast, games, positions int) {
	return o.forecasts, o.seen.count, len(o.seen.games)
}

// PieceWorth returns, by kind from rabbit to elephant, how much one more piece of the kind adds to
// the logit of winning in the training games, if the other pieces and the advancement of rabbits
// are equal. It depends on who plays: where games are decided by races and blunders, pieces are
// worth little. It is empty without forecasts.
func (o *Offline) PieceWorth() []float64 { return o.pieces[:min(len(o.pieces), game.NumKinds)] }

// Save saves the network as it is. Its metadata names the run, the games and the settings that it is from, and the
// weights that it began with by their hash, since a path says nothing elsewhere. run is the name to know it by.
func (o *Offline) Save(path, run string) error {
	n, err := o.learner.Snapshot()
	if err != nil {
		return err
	}
	hash, err := settings.Hash(&o.config)
	if err != nil {
		return err
	}
	first, _ := o.games.Lowest()
	meta := map[string]string{
		"run":        run,
		"games_of":   o.games.runs,
		"first_game": strconv.FormatUint(first, 10),
		"last_game":  strconv.FormatUint(o.games.Last, 10),
		"games":      fmt.Sprint(o.games.Train.Games()),
		"positions":  fmt.Sprint(o.games.Train.Positions()),
		"steps":      fmt.Sprint(o.step),
		"samples":    fmt.Sprint(o.step * int64(o.config.Learner.Batch)),
		"settings":   hash,
	}
	if o.from != "" {
		meta["from"] = o.from
	}
	return net.Save(path, n, meta)
}

// Status returns the progress of Train.
func (o *Offline) Status() metrics.Status {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := metrics.Status{
		Title: "training", Done: float64(o.step), Total: float64(o.steps),
		Counts: []metrics.Value{{Name: "samples", Value: float64(o.step * int64(o.config.Learner.Batch))}},
	}
	if o.measuring {
		s.Title = "measuring"
	}
	for _, l := range o.losses {
		if l.Weight > 0 {
			s.Values = append(s.Values, metrics.Value{Name: l.Head + " loss", Value: l.Mean})
		}
	}
	return s
}

// Close releases the learner.
func (o *Offline) Close() error { return o.learner.Close() }

// set changes what Status reads.
func (o *Offline) set(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}
