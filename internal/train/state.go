package train

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warren/data"
	"warren/internal/durable"
	"warren/net"
)

// state holds the counters of a run. It is saved with the learner's weights.
type state struct {
	Generation int           `json:"generation"` // of the newest network
	Step       int64         `json:"step"`       // minibatches trained
	Samples    int64         `json:"samples"`    // in these minibatches
	From       int64         `json:"from"`       // samples at which the next generation's training began
	Target     int64         `json:"target"`     // samples at which the next generation is ready
	Games      int           `json:"games"`      // saved games when the newest generation was collected
	First      int           `json:"first"`      // number of the first game after the newest generation, in synchronous mode
	Positions  int           `json:"positions"`  // saved positions that Target accounts for
	Elapsed    time.Duration `json:"elapsed"`    // time spent on the run, in nanoseconds

	Start  int    `json:"start,omitempty"`  // generation of the network that the run was given (--from), 0 without one
	Lowest uint64 `json:"lowest,omitempty"` // lower numbers are those of another run

	// In a run with several stages, counted from 0. The learner follows after it has published the newest network.
	Stage   int   `json:"stage,omitempty"`   // that the newest generation has begun, or is in
	Learner int   `json:"learner,omitempty"` // that of the learner
	Begun   int64 `json:"begun,omitempty"`   // minibatches trained before the learner's stage
	Again   int   `json:"again,omitempty"`   // saved positions that the next generation is trained on as if they were new, until it is collected
	Grown   int64 `json:"grown,omitempty"`   // samples from which on the network that has grown last may be published

	Saved data.Totals `json:"saved"`          // all saved games
	Moved data.Totals `json:"moved,omitzero"` // the saved games when some were last found missing; else zero

	// With a gatekeeper the network that plays may be older than the newest.
	Rejected int  `json:"rejected,omitempty"` // by this many generations
	Untested bool `json:"untested,omitempty"` // whether the newest waits for its test
}

// playing returns the generation of the network that plays.
func (s *state) playing() int { return s.Generation - s.Rejected }

// growing reports whether the learner's network has grown, or is about to, and is not trained on all of the replay
// window yet.
func (s *state) growing() bool { return s.Again > 0 || s.Samples < s.Grown }

// owe limits what is still to be learned to a number of samples.
func (s *state) owe(most int64) {
	s.Target = min(s.Target, s.Samples+most)
	s.Grown = min(s.Grown, s.Target)
}

// trained returns the fraction of the next generation's training that is done,
// from 0 to 1.
func (s *state) trained() float64 {
	if s.Samples >= s.Target {
		return 0
	}
	return float64(s.Samples-s.From) / float64(s.Target-s.From)
}

// window returns the fraction of the replay window that a network that grows is trained on. It is 0 if none grows.
func (s *state) window() float64 {
	if s.growing() {
		return s.trained()
	}
	return 0
}

const stateKey = "state"

// keptCheckpoints is the number of checkpoints to keep: the newest, and one to
// fall back on if the newest is damaged.
const keptCheckpoints = 2

func (d *Dir) checkpoint(step int64) string {
	return filepath.Join(d.learner(), fmt.Sprintf("step-%010d.safetensors", step))
}

// saveCheckpoint writes the learner's tensors and the counters, and removes old
// checkpoints.
func (d *Dir) saveCheckpoint(s state, tensors []net.Tensor) error {
	counters, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("saving the learner: %w", err)
	}
	if err := net.SaveTensors(d.checkpoint(s.Step), tensors, map[string]string{stateKey: string(counters)}); err != nil {
		return fmt.Errorf("saving the learner: %w", err)
	}
	all, err := d.checkpoints()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(path string) bool { // what loadCheckpoint passes over
		info, err := os.Stat(path)
		return err != nil || !info.Mode().IsRegular()
	})
	for _, old := range all[:max(0, len(all)-keptCheckpoints)] {
		if err := os.Remove(old); err != nil {
			return fmt.Errorf("removing an old checkpoint: %w", err)
		}
	}
	return nil
}

// checkpoints returns the paths of the learner's checkpoints, oldest first.
func (d *Dir) checkpoints() ([]string, error) {
	all, err := durable.List(d.learner(), "step-*.safetensors")
	if err != nil {
		return nil, fmt.Errorf("looking for checkpoints: %w", err)
	}
	return all, nil
}

// loadCheckpoint returns the counters and the tensors of the newest undamaged
// checkpoint. It logs and renames damaged checkpoints, and passes over what is no file.
// If there is no checkpoint, the counters are zero and the tensors nil; but if there are
// networks that learning anew would replace, that is an error. A checkpoint that cannot
// be opened, or that another version has written, is an error too.
func (d *Dir) loadCheckpoint(log *slog.Logger) (state, []net.Tensor, error) {
	s, tensors, unusable, err := d.findCheckpoint()
	if err != nil {
		return state{}, nil, err
	}
	return s, tensors, doWithout(unusable, log)
}

// findCheckpoint is loadCheckpoint, but it changes nothing: it returns what cannot be used, newest first.
func (d *Dir) findCheckpoint() (s state, tensors []net.Tensor, unusable []damage, err error) {
	all, err := d.checkpoints()
	if err != nil {
		return s, nil, nil, err
	}
	instead, found := "an older one takes its place", false
	for _, path := range slices.Backward(all) {
		s, tensors, err = readCheckpoint(path)
		if found = err == nil; found {
			break
		}
		if !isNoFile(err) && !isDamage(err) {
			return s, nil, nil, fmt.Errorf("loading the learner: %w", err)
		}
		unusable = append(unusable, damage{path: path, err: err, stays: isNoFile(err)})
	}
	if !found {
		if err := d.mayBegin(unusable); err != nil {
			return state{}, nil, nil, err
		}
		s, tensors, instead = state{}, nil, "there is no older one and no trained network, so the run learns anew from its games"
	}
	for i := range unusable {
		unusable[i].then = "setting aside a damaged checkpoint; " + instead
		if unusable[i].stays {
			unusable[i].then = "passing over what has the name of a checkpoint and is no file"
		}
	}
	return s, tensors, unusable, nil
}

// mayBegin returns an error if a run without a usable checkpoint has trained networks, which it would
// replace if it began anew.
func (d *Dir) mayBegin(unusable []damage) error {
	trained, err := d.trained()
	if err != nil || len(trained) == 0 {
		return err
	}
	why := "has no checkpoint"
	if len(unusable) > 0 {
		why = fmt.Sprintf("has only damaged checkpoints (%v)", unusable[0].err)
	}
	return fmt.Errorf("the run %s %s, and learning anew would replace its networks: put a copy of a checkpoint back%s", d.path, why, d.orFromNewest())
}

func readCheckpoint(path string) (s state, tensors []net.Tensor, err error) {
	tensors, meta, err := net.LoadTensors(path)
	if err != nil {
		return s, nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(meta[stateKey]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		// The file is whole, as its hash says.
		return s, nil, fmt.Errorf("reading %s: %w: its counters: %v; use the program that wrote it, or a newer Warren", path, net.ErrVersion, err)
	}
	if s.Learner < 0 || s.Stage < s.Learner {
		return s, nil, fmt.Errorf("reading %s: its learner is in stage %d of a run in stage %d", path, s.Learner, s.Stage)
	}
	return s, tensors, nil
}
