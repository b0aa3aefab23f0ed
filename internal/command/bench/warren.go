package bench

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"warren/game"
	"warren/internal/eval/cpu"
	"warren/internal/learn"
	"warren/internal/learn/graph"
)

// The kinds of work.
const (
	checking  = "check"
	inference = "infer"
	training  = "train"
)

// job is a piece of work to time.
type job struct {
	op      string // inference or training
	batch   int
	threads int
	time    time.Duration
}

// warren runs Warren's own network. It keeps the state of the last job for the next turn.
type warren struct {
	material  *material
	job       job
	plans     []*cpu.Plan
	policy    [][]float32
	value     [][]float32
	trainer   *graph.Trainer
	steps     int
	allocated uint64 // bytes allocated by all timed steps of the job
	timed     int
}

// prepare prepares a job and releases the state of the last one.
func (w *warren) prepare(j job) error {
	if err := w.close(); err != nil {
		return err
	}
	*w = warren{material: w.material, job: j}
	runtime.GOMAXPROCS(j.threads)
	debug.FreeOSMemory()
	if j.op == inference {
		backend, err := cpu.New(w.material.network)
		if err != nil {
			return err
		}
		for range j.threads {
			w.plans = append(w.plans, backend.NewPlan(j.batch))
			w.policy = append(w.policy, make([]float32, j.batch*game.NumActions))
			w.value = append(w.value, make([]float32, j.batch))
		}
		return nil
	}
	return w.learner(j)
}

// learner makes a trainer with plain Adam over a copy of the network.
func (w *warren) learner(j job) (err error) {
	w.trainer, err = graph.NewWorkers(w.material.network.Clone(), plainAdam(j.batch), j.threads)
	return err
}

// plainAdam returns settings without weight decay, clipping and averages, as the others have them.
func plainAdam(batch int) learn.Config {
	c := learn.DefaultConfig()
	c.ValueWeight, c.EMADecay, c.DormantResetInterval = 1, 0, 0
	c.Batch, c.Optimizer.Method, c.Optimizer.WeightDecay, c.Optimizer.ClipNorm = batch, learn.Adam, 0, 0
	return c
}

func (w *warren) close() error {
	if w.trainer == nil {
		return nil
	}
	err := w.trainer.Close()
	w.trainer = nil
	return err
}

// rate runs the job for one turn and returns positions per second.
func (w *warren) rate(j job) (float64, error) {
	if w.job != j {
		if err := w.prepare(j); err != nil {
			return 0, err
		}
	}
	if j.op == inference {
		return w.infer(j), nil
	}
	return w.train(j)
}

// infer lets each thread run its own plan on its own batches, like the workers of self-play.
func (w *warren) infer(j job) float64 {
	var done atomic.Int64
	var warm, all sync.WaitGroup
	warm.Add(j.threads)
	begin := make(chan time.Time)
	for i, plan := range w.plans {
		all.Go(func() {
			run := func(k int) {
				plan.Forward(w.material.inputs(i+k*j.threads, j.batch), j.batch, w.policy[i], w.value[i])
			}
			for k := range 3 {
				run(k)
			}
			warm.Done()
			start := <-begin
			for k := 0; time.Since(start) < j.time; k++ {
				run(k)
				done.Add(int64(j.batch))
			}
		})
	}
	warm.Wait()
	start := time.Now()
	for range w.plans {
		begin <- start
	}
	all.Wait()
	return float64(done.Load()) / time.Since(start).Seconds()
}

func (w *warren) train(j job) (float64, error) {
	for range 2 {
		if _, err := w.step(j, 1e-5); err != nil {
			return 0, err
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	steps, start := 0, time.Now()
	for time.Since(start) < j.time {
		if _, err := w.step(j, 1e-5); err != nil {
			return 0, err
		}
		steps++
	}
	elapsed := time.Since(start).Seconds()
	runtime.ReadMemStats(&after)
	w.allocated += after.TotalAlloc - before.TotalAlloc
	w.timed += steps
	return float64(steps*j.batch) / elapsed, nil
}

// step is a training step on the next batch.
func (w *warren) step(j job, rate float64) (learn.Losses, error) {
	losses, err := w.trainer.Step(w.material.part(w.steps, j.batch), rate)
	if err == nil {
		w.steps++
	}
	return losses, err
}

// memory describes the memory that the last timed training job allocates and uses.
func (w *warren) memory(j job) string {
	s := fmt.Sprintf("  %d threads, batch %d: %.0f kB allocated per step", j.threads, j.batch, float64(w.allocated)/1e3/float64(max(w.timed, 1)))
	// Only Linux reports the resident memory here; elsewhere it is left out.
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kb); n == 1 {
			s += fmt.Sprintf(", %.0f MB resident", kb*1024/1e6)
		}
	}
	return s
}

// outputs evaluates all positions.
func (w *warren) outputs() (policy, value []float32, err error) {
	const batch = 32
	policy, value = make([]float32, positions*game.NumActions), make([]float32, positions)
	backend, err := cpu.New(w.material.network)
	if err != nil {
		return nil, nil, err
	}
	plan := backend.NewPlan(batch)
	for i := 0; i < positions; i += batch {
		plan.Forward(w.material.batch.Bits[i:], batch, policy[i*game.NumActions:], value[i:])
	}
	return policy, value, nil
}

// losses makes training steps from the weights of the network at a learning rate of 0.0001,
// and returns the policy loss and the value loss of each step.
func (w *warren) losses(batch, threads, steps int) ([][2]float64, error) {
	if err := w.close(); err != nil {
		return nil, err
	}
	*w = warren{material: w.material}
	j := job{op: training, batch: batch, threads: threads}
	if err := w.learner(j); err != nil {
		return nil, err
	}
	var all [][2]float64
	for range steps {
		l, err := w.step(j, 1e-4)
		if err != nil {
			return nil, err
		}
		all = append(all, [2]float64{l.Of("policy"), l.Of("value")})
	}
	return all, nil
}
