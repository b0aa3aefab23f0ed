package train

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"warren/internal/durable"
	"warren/internal/eval/device"
	"warren/internal/quoted"
	"warren/internal/recipe"
	"warren/internal/settings"
	"warren/net"
)

// Dir is the directory of a run.
type Dir struct {
	path string
	name string // identifies the run in its records and networks
	lock *os.File
}

// newDir returns the directory at path with the name of its run: the one that is kept in it, or else its
// own.
func newDir(path string) (*Dir, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding the run directory: %w", err)
	}
	d := &Dir{path: path}
	if d.name, err = d.readName(); d.name == "" {
		d.name = filepath.Base(whole)
	}
	return d, err
}

// OpenDir opens and locks the run directory at path. It creates the directory if
// there is none, and fails if another process works on the same run, or if there are
// other things in the directory and no run, such as what warren learn has written. It
// removes the half-written files of a killed process.
func OpenDir(path string) (*Dir, error) {
	d, err := newDir(path)
	if err != nil {
		return nil, err
	}
	if !durable.IsDir(d.networks()) {
		learned := filepath.Join(path, LearnedFile)
		if _, err := os.Stat(learned); err == nil {
			return nil, fmt.Errorf("%s is no run: warren learn has written it; to begin with its network, give --from %s and another --run", path, quoted.Add(learned))
		}
		if _, err := os.Stat(filepath.Join(path, UnfinishedFile)); err == nil {
			return nil, fmt.Errorf("%s is no run: warren learn has written it; choose another --run", path)
		}
	}
	if !d.hasBegun() {
		if err := d.lost(); err != nil {
			return nil, err
		}
		if err := durable.Fresh(path, ownNames...); err != nil {
			return nil, fmt.Errorf("beginning a run: %w", err)
		}
	}
	for _, sub := range d.subdirectories() {
		if err := os.MkdirAll(sub, 0o777); err != nil {
			return nil, fmt.Errorf("making the run directory: %w", err)
		}
	}
	lock, err := durable.LockDir(path,
		fmt.Sprintf("the run %s is being worked on by another process: wait for it, stop it, or choose another --run", path))
	if err != nil {
		return nil, err
	}
	d.lock = lock
	for _, sub := range []string{path, d.games(), d.networks(), d.learner(), d.matches()} {
		if err := durable.Sweep(sub); err != nil {
			lock.Close()
			return nil, fmt.Errorf("clearing the run directory: %w", err)
		}
	}
	return d, nil
}

// Close releases the lock on the directory. If the run has not begun, it removes the
// empty directories that OpenDir has made.
func (d *Dir) Close() error {
	if d.hasBegun() {
		return d.lock.Close()
	}
	for _, sub := range d.subdirectories() {
		os.Remove(sub) // fails if there is something in it, which stays
	}
	if entries, err := os.ReadDir(d.path); err == nil && len(entries) == 1 { // the lock
		// Windows removes no file that is open.
		err := d.lock.Close()
		os.Remove(d.lock.Name())
		os.Remove(d.path)
		return err
	}
	return d.lock.Close()
}

func (d *Dir) subdirectories() []string {
	return []string{d.games(), d.networks(), d.learner(), d.matches(), d.tensorBoard()}
}

// ownNames are the names in a run's directory that may be there before the run has begun:
// of a start that was killed, of a hub whose workers were named first, and the games of another run with its list of
// those that are discarded.
var ownNames = []string{"games", "networks", "learner", "matches", "tensorboard", "hub", "name", "discarded.json"}

// Metrics returns the path of the series file, in JSON lines.
func (d *Dir) Metrics() string { return filepath.Join(d.path, "metrics.jsonl") }

// tensorBoard returns the directory of the series as TensorBoard event files.
func (d *Dir) tensorBoard() string { return filepath.Join(d.path, "tensorboard") }

// Network returns the path of the network of a generation.
func (d *Dir) Network(generation int) string {
	return net.GenerationFile(d.path, generation)
}

// removeNetwork removes the network of a generation if there is one. A run that went
// back to an older checkpoint has one that is not its learner's.
func (d *Dir) removeNetwork(generation int) error {
	err := os.Remove(d.Network(generation))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing a network that is trained anew: %w", err)
	}
	return durable.SyncDir(d.networks())
}

// trained returns the generations whose networks learning has changed, oldest first.
func (d *Dir) trained() ([]int, error) {
	all, err := net.Generations(d.path)
	return slices.DeleteFunc(all, func(generation int) bool { return generation == 0 }), err
}

// orFromNewest returns the end of an error of a run that cannot continue: how another run continues from
// its newest network that is whole, if there is any.
func (d *Dir) orFromNewest() string {
	all, _ := d.trained()
	for _, generation := range slices.Backward(all) {
		path := d.Network(generation)
		if n, meta, err := net.Load(path); err == nil {
			origin, _ := device.Origin(path, meta) // begins with the first stage if that is damaged
			return fmt.Sprintf(", or begin another run from its newest network, with --run %s%s --from %s", quoted.Add(filepath.Clean(d.path)+"-2"), d.flagsFor(n.Config, origin.Stage), quoted.Add(path))
		}
	}
	return ""
}

// flagsFor returns the flags, each after a space, of a run that begins with a network of this one: its settings from the
// stage of the network on, or if they cannot be read, the defaults. Since the network plays, the visits do not rise, and
// the learning rate is low.
func (d *Dir) flagsFor(network net.Config, stage int) string {
	const rate = 0.0005
	flags := " --config " + quoted.Add(d.config())
	before, _, err := d.readSettings()
	after := before
	if err == nil {
		after, err = before.From(stage)
	}
	if err != nil {
		flags, before = " --config default", recipe.DefaultConfig()
		after = before
		after.Network = network
	}
	after.SelfPlay.Visits.Games = 0
	if r := &after.Learner.Rate; r.Final <= rate {
		r.Initial = min(r.Initial, rate)
	}
	changes, err := settings.Changes(before, after)
	if err != nil {
		return flags
	}
	for _, change := range changes {
		flags += fmt.Sprintf(" --set %s=%s", change.Key, quoted.Add(change.After))
	}
	return flags
}

func (d *Dir) games() string    { return filepath.Join(d.path, "games") }
func (d *Dir) networks() string { return filepath.Join(d.path, "networks") }
func (d *Dir) learner() string  { return filepath.Join(d.path, "learner") }
func (d *Dir) matches() string  { return filepath.Join(d.path, "matches") }
func (d *Dir) config() string   { return filepath.Join(d.path, "config.yaml") }

// hasBegun reports whether the run has settings already. Whoever reads them says why they cannot be read.
func (d *Dir) hasBegun() bool {
	_, err := os.Stat(d.config())
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}

// lost returns an error if the run, which has no settings, has what comes only after they are saved: a series, or a
// checkpoint or a network that has learned.
func (d *Dir) lost() error {
	_, err := os.Stat(d.Metrics())
	networks, _ := d.trained() // if it cannot be read, the run does not begin either
	checkpoints, _ := d.checkpoints()
	checkpoints = slices.DeleteFunc(checkpoints, func(path string) bool { return path == d.checkpoint(0) }) // which Begin saves
	if err != nil && len(networks)+len(checkpoints) == 0 {
		return nil
	}
	return fmt.Errorf("the run %s has lost its settings, config.yaml: put a copy of the file back%s", d.path, d.orFromNewest())
}

// begun returns the settings of the process that worked on the run last, nil if the run is
// new. It logs which settings were removed or renamed since.
func (d *Dir) begun(log *slog.Logger) (*recipe.Config, error) {
	if !d.hasBegun() {
		return nil, nil
	}
	before, older, err := d.readSettings()
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, d.orFromNewest())
	}
	if text := older.String(); text != "" {
		log.Info("the run was begun by an earlier version", "settings", text)
	}
	return &before, nil
}

// readSettings reads the settings that the run began with.
func (d *Dir) readSettings() (c recipe.Config, older settings.Older, err error) {
	c = recipe.DefaultConfig()
	older, err = recipe.Apply(d.config(), nil, &c)
	if err == nil && len(older.Missing) > 0 {
		err = fmt.Errorf("%s is cut off or incomplete: it has no %s", d.config(), strings.Join(older.Missing, ", "))
	}
	if err != nil {
		err = fmt.Errorf("reading the settings of the run: %w; mend the file or put a copy of it back", err)
	}
	return c, older, err
}

// Settings returns the settings with which the run in the directory path continues: those of the
// process that worked on it last, with overrides of the form key=value. The device is auto unless
// set overrides it: [Open] keeps the device of the run if this machine has it. Settings returns nil
// if no run has begun there.
func Settings(path string, set []string) (*recipe.Config, error) {
	c, err := (&Dir{path: path}).begun(slog.New(slog.DiscardHandler)) // Open logs it
	if c == nil || err != nil {
		return nil, err
	}
	c.Device = device.Auto
	if _, err := recipe.Apply("", set, c); err != nil {
		return nil, err
	}
	return c, nil
}

// accept returns an error if the stage that the run is in had another network, seed or optimiser method
// before, held fewer games out, or is not in the settings; any other setting may change from one process to
// the next.
func (d *Dir) accept(stages []recipe.Stage, before *recipe.Config, at *state) error {
	if n := max(at.Stage, at.Learner); n >= len(stages) {
		return fmt.Errorf("the run %s is in its stage %d, and the settings have %d: choose another --run, or leave out --config and --set, to continue with the settings of the run", d.path, n+1, len(stages))
	}
	if before == nil {
		return nil
	}
	if err := before.Network.Validate(); err != nil {
		return fmt.Errorf("the run %s cannot continue: %w", d.path, err)
	}
	list, err := before.StageList()
	if err != nil {
		return fmt.Errorf("the run %s cannot continue: the settings in %s: %w", d.path, d.config(), err)
	}
	return d.same(&list[min(at.Learner, len(list)-1)].Config, &stages[at.Learner].Config)
}

// same returns an error if a learner with the settings before cannot continue with the settings c.
func (d *Dir) same(before, c *recipe.Config) error {
	if old, now := before.Network.Auxiliary, c.Network.Auxiliary; old != now {
		return fmt.Errorf("the run %s was begun with network.heads %q, and the settings ask for %q: choose another --run, or the same heads", d.path, old, now)
	}
	changes, err := settings.Changes(before.Network, c.Network)
	if err != nil {
		return err
	}
	var words []string
	for _, x := range changes {
		words = append(words, fmt.Sprintf("network.%s was %s and now is %s", x.Key, x.Before, x.After))
	}
	if words != nil {
		return fmt.Errorf("the run %s was begun with another network (%s): choose another --run, or leave out --config and --set, to continue with the settings of the run",
			d.path, strings.Join(words, ", "))
	}
	if before.Seed != c.Seed {
		return fmt.Errorf("the run %s was begun with seed %d, and the settings ask for %d: choose another --run, or the same seed", d.path, before.Seed, c.Seed)
	}
	if old, now := before.Learner.Optimizer.Method, c.Learner.Optimizer.Method; old != now {
		return fmt.Errorf("the run %s was begun with learner.optimizer.method %s, and the settings ask for %s: choose another --run, or the same method", d.path, old, now)
	}
	if old, now := before.Data.HeldOutFraction, c.Data.HeldOutFraction; now > old {
		return fmt.Errorf("the run %s has held out %v of its games, and the settings ask for %v, which include games that it has trained on: choose another --run, or a data.held_out_fraction of at most %v", d.path, old, now, old)
	}
	return nil
}

// saveSettings saves the resolved settings in the directory. From then on the run has begun.
func (d *Dir) saveSettings(c *recipe.Config) error {
	return durable.WriteFile(d.config(), func(w io.Writer) error { return settings.Write(w, c) })
}
