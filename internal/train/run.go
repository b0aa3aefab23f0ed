package train

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"warren/data"
	"warren/data/replay"
	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/learn"
	learning "warren/internal/learn/device"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/net"
)

// Run is a training run that this process works on.
type Run struct {
	config   recipe.Config
	settings string // hash, for the records
	dir      *Dir
	log      *slog.Logger
	observer observe.Observer
	series   *observe.Series // on disk
	counts   observe.Counts
	searches observe.Searches

	index     *data.Index
	windows   *replay.Windows
	store     *Store
	elsewhere Elsewhere // plays the games; nil for this process
	matches   Matches   // plays the games of matches; nil for this process
	learner   *learner
	trainers  *learning.Choice
	devices   devices
	current   atomic.Pointer[eval.Network]
	clock     func() time.Duration // as loop.clock says
	began     time.Duration        // reading of clock at which Elapsed was 0

	mu    sync.Mutex // guards state, which Progress reads
	state state
	last  learn.Losses // mean of the newest generation's training

	saved    time.Time // when the newest checkpoint was made, or the run opened
	waits    waits     // of the learner
	reported mark      // the newest report
}

// Latest returns the network that new games play with.
func (r *Run) Latest() *eval.Network { return r.current.Load() }

// Open starts or continues the run in dir. Every event of the run goes to
// observer as well as to the run's own series. Problems and resumptions are
// logged. Close the run when done.
func Open(dir *Dir, config recipe.Config, observer observe.Observer, log *slog.Logger) (*Run, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	games, err := recipe.HashOfGames(config.SelfPlay, config.Search)
	if err != nil {
		return nil, err
	}
	before, err := dir.begun(log)
	if err != nil {
		return nil, err
	}
	settleDevice(&config, before, log)
	if err := dir.accept(&config, before); err != nil {
		return nil, err
	}
	r := &Run{config: config, settings: games, dir: dir, log: log}
	r.devices, r.trainers = device.Choose(config.Device, log), learning.Choose(config.Learner.Device, log)
	if err := r.restoreLearner(); err != nil {
		return nil, err
	}
	moved := r.state.Moved
	if err := r.restoreGames(); err != nil {
		return nil, err
	}
	if err := dir.settleName(r.index, log); err != nil {
		return nil, err
	}
	r.reconcile()
	// All that can fail without a fault of the disk has succeeded.
	if err := dir.saveSettings(&config); err != nil {
		return nil, err
	}
	r.clock = newClock(config.Loop.Clock)
	r.began = r.clock() - r.state.Elapsed
	if r.state.Moved != moved { // save it before there are new games
		if err := r.checkpoint(); err != nil {
			return nil, err
		}
	}
	if err := r.restoreNetwork(); err != nil {
		return nil, err
	}
	if r.state.Generation > 0 || r.index.Games > 0 {
		log.Info("going on with the run", "generation", r.state.Generation, "games", r.index.Games,
			"steps", r.state.Step, "elapsed", r.state.Elapsed.Round(time.Second))
	}
	if err := r.openSeries(observer); err != nil {
		return nil, err
	}
	r.saved = time.Now()
	return r, nil
}

// openSeries opens the run's series for appending.
func (r *Run) openSeries(observer observe.Observer) error {
	lines, err := metrics.OpenLines(r.dir.Metrics())
	if err != nil {
		return err
	}
	events, err := metrics.OpenEvents(r.dir.TensorBoard(), time.Now(), int64(r.state.Generation)+1)
	if err != nil {
		return errors.Join(err, lines.Close())
	}
	r.series = observe.NewSeries(metrics.Tee(lines, events))
	r.observer = observe.Tee(&r.counts, &r.searches, r.series, observer)
	r.observer.Observe(&observe.Published{Generation: r.state.Generation, Path: r.dir.Network(r.state.Generation)})
	return nil
}

// restoreLearner makes the learner as it was at the newest checkpoint.
func (r *Run) restoreLearner() error {
	network, err := net.New(r.config.Network, r.config.Seed)
	if err != nil {
		return err
	}
	if r.learner, err = newLearner(&r.config, network, r.trainers); err != nil {
		return err
	}
	saved, tensors, err := r.dir.loadCheckpoint(r.log)
	if err != nil {
		return err
	}
	r.setState(func(s *state) {
		*s = saved
		if s.First == 0 { // nothing has been played, or an earlier version wrote the checkpoint
			s.First = r.config.Loop.FirstNumber(s.Generation)
		}
	})
	if tensors == nil {
		return nil
	}
	if err := r.learner.Restore(tensors); err != nil {
		return fmt.Errorf("the newest checkpoint in %s does not fit the settings: %w", r.dir.learner(), err)
	}
	return nil
}

// moveLearner goes back to the newest checkpoint on another device, after the learner's has been
// lost. The games that were collected since stay collected.
func (r *Run) moveLearner(lost error) error {
	now := r.state
	err := r.trainers.Lost(lost)
	if err == nil {
		if err = errors.Join(r.learner.Close(), r.restoreLearner()); err != nil {
			err = fmt.Errorf("%w; then: %w", lost, err) // still a loss, so the newest checkpoint stays
		}
	}
	if err != nil {
		return fmt.Errorf("%w; games are saved, and the same command goes on from the newest checkpoint", err)
	}
	r.setState(func(s *state) {
		s.Games, s.Positions, s.From, s.Target = now.Games, now.Positions, now.From, now.Target
	})
	return r.restoreNetwork()
}

func (r *Run) restoreGames() (err error) {
	if r.index, err = data.Scan(r.dir.games(), r.log); err != nil {
		return err
	}
	r.countMoved()
	r.index.Add(r.state.Moved)
	r.windows = replay.NewWindows(r.config.Data)
	discarded, err := r.dir.discarded()
	if err != nil {
		return err
	}
	if err := r.windows.Discard(discarded, r.index); err != nil {
		return err
	}
	r.store = newStore(r.dir, &r.config, r.index, r.windows, r.log)
	return nil
}

// countMoved notes that all games have been moved elsewhere since the newest checkpoint, or are back.
func (r *Run) countMoved() {
	s := &r.state
	back := func(shard data.ShardInfo) bool { return shard.First < s.Moved.Next } // perhaps one that came late
	switch {
	case r.index.Games == 0 && len(r.index.Damaged) == 0 && s.Saved.Games > 0:
		s.Moved = s.Saved
		r.log.Warn("the games are not in the run's directory any more; the run goes on from its newest checkpoint with an empty replay window", "games", s.Saved.Games)
	case r.index.Games >= s.Saved.Games && slices.ContainsFunc(r.index.Shards, back):
		r.log.Info("games that had been moved elsewhere are in the run's directory again", "games", s.Moved.Games)
		s.Moved = data.Totals{}
	}
}

// reconcile removes from the counters the games that damaged or missing
// shards have lost, so they count as not yet played.
func (r *Run) reconcile() {
	s := &r.state
	s.Games = min(s.Games, r.index.Games)
	s.Positions = min(s.Positions, r.index.Positions)
	if !r.canLearn() {
		s.Target = s.Samples
	}
}

// canLearn reports whether the replay window can fill a minibatch.
func (r *Run) canLearn() bool { return r.windows.Train.Positions() >= r.config.Learner.Batch }

// restoreNetwork loads the network that plays.
func (r *Run) restoreNetwork() error {
	generation := r.state.playing()
	path := r.dir.Network(generation)
	network, _, err := net.Load(path)
	switch {
	case err == nil:
		if err := r.setCurrent(network, generation); err != nil {
			return err
		}
		if !r.state.Untested {
			return nil
		}
		if network, err = r.learner.Snapshot(); err != nil {
			return err
		}
		return r.saveNetwork(network)
	case errors.Is(err, fs.ErrNotExist):
	case !isDamage(err):
		return fmt.Errorf("loading the network that played last: %w", err)
	default:
		r.log.Warn("setting aside the network that played last, which is damaged; the learner's takes its place", "path", path, "error", err)
		if err := os.Rename(path, path+".damaged"); err != nil {
			return fmt.Errorf("setting aside a damaged network: %w", err)
		}
	}
	r.setState(func(s *state) { s.Rejected, s.Untested = 0, false })
	return r.publish()
}

// publish saves the learner's network as that of the newest generation. It
// gives the network to self-play unless the gatekeeper must test it first.
func (r *Run) publish() error {
	network, err := r.learner.Snapshot()
	if err != nil {
		return err
	}
	if err := r.saveNetwork(network); err != nil {
		return err
	}
	if r.state.Untested {
		return nil
	}
	return r.setCurrent(network, r.state.Generation)
}

// saveNetwork saves the learner's network as that of the newest generation.
func (r *Run) saveNetwork(network *net.Network) error {
	meta := map[string]string{
		"run":        r.dir.name,
		"generation": fmt.Sprint(r.state.Generation),
		"steps":      fmt.Sprint(r.state.Step),
		"samples":    fmt.Sprint(r.state.Samples),
		"games":      fmt.Sprint(r.state.Games),
		"settings":   r.settings,
	}
	if r.config.Loop.Mode != recipe.Sync { // synchronous files do not depend on the clock
		meta["seconds"] = fmt.Sprintf("%.1f", r.elapsed().Seconds())
	}
	if err := net.Save(r.dir.Network(r.state.Generation), network, meta); err != nil {
		return fmt.Errorf("publishing generation %d: %w", r.state.Generation, err)
	}
	if r.observer != nil {
		r.observer.Observe(&observe.Published{Generation: r.state.Generation, Path: r.dir.Network(r.state.Generation)})
	}
	return nil
}

// setCurrent gives a network to self-play. Generation 0 plays without a
// network.
func (r *Run) setCurrent(n *net.Network, generation int) error {
	if generation == 0 {
		r.current.Store(eval.Untrained())
		return nil
	}
	playable, err := r.playable(n, generation)
	if err != nil {
		return err
	}
	r.current.Store(playable)
	return nil
}

// playable prepares a network of this run for play.
func (r *Run) playable(n *net.Network, generation int) (*eval.Network, error) {
	origin := eval.Origin{Path: r.dir.Network(generation), Run: r.dir.name, Generation: generation}
	return r.devices.Play(n, origin)
}

// measured adds a point to the series.
func (r *Run) measured(p metrics.Point) error {
	r.observer.Observe(&observe.Measured{Point: p})
	if err := r.series.Err(); err != nil {
		return fmt.Errorf("writing the series: %w", err)
	}
	return nil
}

// checkpoint saves the learner and the counters.
func (r *Run) checkpoint() error {
	r.setState(func(s *state) { s.Elapsed, s.Saved = r.elapsed(), r.store.Saved() })
	tensors, err := r.learner.State()
	if err != nil {
		return err
	}
	if err := r.dir.saveCheckpoint(r.state, tensors); err != nil {
		return err
	}
	r.saved = time.Now()
	return nil
}

// Close releases the run's resources. It saves nothing; Train has done that.
func (r *Run) Close() error {
	if r.learner == nil { // its device was lost, and no other could be used
		return r.series.Close()
	}
	return errors.Join(r.learner.Close(), r.series.Close())
}

func (r *Run) elapsed() time.Duration { return r.clock() - r.began }

// setState changes the counters, which Progress may be reading.
func (r *Run) setState(change func(*state)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.state)
}
