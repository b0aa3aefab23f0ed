package learn_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"warren/internal/learn"
	"warren/internal/learn/graph"
	"warren/internal/learn/learntest"
	"warren/internal/nettest"
	"warren/net"
)

// Units that no position activates get fresh weights. The network and the averaged one, which plays,
// compute the same as before, the other units keep all they have, and the fresh ones learn.
func TestRecycle(t *testing.T) {
	arch := net.Config{Blocks: 2, Channels: 8, PoolEvery: 2, PolicyChannels: 4, ValueChannels: 3, ValueHidden: 4, Auxiliary: strings.Join(net.AuxiliaryHeads(), " ")}
	for _, method := range []string{learn.SGD, learn.Adam, learn.Muon} {
		t.Run(method, func(t *testing.T) {
			c := learn.DefaultConfig()
			c.Batch, c.EMADecay, c.Optimizer.Method = 4, 0.9, method
			n := nettest.New(t, arch, 1)
			// One unit of every rectified layer is off. Others may be by chance.
			for _, l := range arch.Program().Rectified() {
				bias := n.Param(l.Name + ".bias").Data
				for i := range bias {
					bias[i] = 1
				}
				bias[1] = -1e5
			}
			trainer, err := graph.New(n, c)
			if err != nil {
				t.Fatal(err)
			}
			defer trainer.Close()
			lesson := learntest.Lesson(arch, 1, c.Batch)
			step := func() learn.Losses {
				losses, err := trainer.Step(lesson, 1e-5)
				if err != nil {
					t.Fatal(err)
				}
				return losses
			}
			for range 3 {
				step()
			}
			state, err := trainer.State()
			if err != nil {
				t.Fatal(err)
			}
			before := map[string][]float32{}
			state = slices.Clone(state)
			for i, s := range state {
				state[i].Data = slices.Clone(s.Data)
				before[s.Name] = slices.Clone(s.Data)
			}
			off, all := map[string]map[int]bool{}, 0 // dormant units by layer
			silenced := map[string]string{}          // the layer that a weight reads
			for _, l := range arch.Program().Rectified() {
				off[l.Name] = map[int]bool{}
				moment := before["optimizer.mean."+l.Name+".bias"]
				if method == learn.SGD {
					moment = before["optimizer.momentum."+l.Name+".bias"]
				}
				for i, v := range moment {
					if v == 0 {
						off[l.Name][i] = true
						all++
					}
				}
				if !off[l.Name][1] || len(off[l.Name]) == l.Outputs() {
					t.Fatalf("%s: the units %v are off", l.Name, off[l.Name])
				}
				for _, r := range l.Readers {
					silenced[r.Weight()] = l.Name
				}
			}
			if got := learn.Recycle(arch, state, rand.New(rand.NewPCG(1, 2))); got != all {
				t.Errorf("%d units were recycled, want %d", got, all)
			}
			losses := measured(t, trainer, c, lesson)
			if err := trainer.Restore(state); err != nil {
				t.Fatal(err)
			}
			if after := measured(t, trainer, c, lesson); after != losses {
				t.Errorf("the losses were %s and are %s", losses, after)
			}
			units := map[string]int{}
			for _, l := range arch.Program().Rectified() {
				units[l.Name] = l.Outputs()
			}
			for _, s := range state {
				name := strings.TrimPrefix(s.Name, learn.AveragePrefix)
				rest, moment := strings.CutPrefix(name, "optimizer.")
				if moment {
					_, name, _ = strings.Cut(rest, ".") // the kind of moment
				}
				layer, isWeight := strings.CutSuffix(name, ".weight")
				layer, isBias := strings.CutSuffix(layer, ".bias")
				read := silenced[name]
				for i, v := range s.Data {
					row, was := i/s.Shape[len(s.Shape)-1], before[s.Name][i]
					switch {
					case isWeight && read != "" && off[read][row%units[read]]:
						if v != 0 && !off[layer][i%max(1, units[layer])] {
							t.Fatalf("%s: element %d is still %g", s.Name, i, v)
						}
					case isWeight && units[layer] > 0 && off[layer][i%units[layer]]:
						if moment && v != 0 || !moment && (v == was || v == 0) {
							t.Fatalf("%s: element %d is %g and was %g", s.Name, i, v, was)
						}
					case isBias && units[layer] > 0 && off[layer][i%units[layer]]:
						if v != 0 {
							t.Fatalf("%s: element %d is %g", s.Name, i, v)
						}
					case v != was:
						t.Fatalf("%s: element %d has changed from %g to %g", s.Name, i, was, v)
					}
				}
			}
			if got := learn.Recycle(arch, clone(state), rand.New(rand.NewPCG(3, 4))); got != all {
				t.Errorf("before a further step %d units count as dormant, want %d", got, all)
			}
			for range 3 {
				step()
			}
			state, err = trainer.State()
			if err != nil {
				t.Fatal(err)
			}
			if got := learn.Recycle(arch, clone(state), rand.New(rand.NewPCG(3, 4))); got > all*3/4 {
				t.Errorf("%d of %d units are still dormant", got, all)
			}
		})
	}
}

// measured returns the losses of the network that learns and of the averaged one.
func measured(t *testing.T, trainer learn.Trainer, c learn.Config, lesson *learn.Batch) string {
	t.Helper()
	losses, err := trainer.Measure(lesson)
	if err != nil {
		t.Fatal(err)
	}
	averaged, err := trainer.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	other, err := graph.New(averaged, c)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	plays, err := other.Measure(lesson)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%v, averaged %v", losses, plays)
}

// A head without gradient may be active, so its units keep their weights.
func TestRecycleKeepsHeadThatHasLearned(t *testing.T) {
	arch := net.Config{Blocks: 1, Channels: 8, PoolEvery: 1, PolicyChannels: 4, ValueChannels: 3, ValueHidden: 4, Auxiliary: "stopped"}
	c := learn.DefaultConfig()
	c.Batch = 4
	n := nettest.New(t, arch, 1)
	trainer, err := graph.New(n, c)
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	lesson := learntest.Lesson(arch, 1, c.Batch)
	clear(lesson.Targets[2].Weight)
	for range 3 {
		if _, err := trainer.Step(lesson, 1e-5); err != nil {
			t.Fatal(err)
		}
	}
	state, err := trainer.State()
	if err != nil {
		t.Fatal(err)
	}
	before := clone(state)
	learn.Recycle(arch, state, rand.New(rand.NewPCG(1, 2)))
	for i, s := range state {
		if strings.Contains(s.Name, "stopped.") && !slices.Equal(s.Data, before[i].Data) {
			t.Errorf("%s has changed", s.Name)
		}
	}
}

// A unit is dormant where the optimiser takes its moment for 0, and counts while a moment of its readers is at least a
// million times as large as that.
func TestDormantWhereMomentsFade(t *testing.T) {
	arch := net.Config{Blocks: 1, Channels: 8, PoolEvery: 1, PolicyChannels: 4, ValueChannels: 3, ValueHidden: 4}
	layer := arch.Program().Rectified()[0]
	trainer, err := graph.New(nettest.New(t, arch, 1), learn.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	state, err := trainer.State()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		unit, readers float32 // first moments
		want          int
	}{
		{0, 1, 1}, {9e-17, 1, 1}, {-9e-17, 1, 1}, {2e-16, 1, 0}, {-2e-16, 1, 0},
		{0, 2e-10, 1}, {0, -2e-10, 1}, {0, 9e-11, 0},
	} {
		state := clone(state)
		for _, s := range state {
			moment := float32(1)
			if slices.ContainsFunc(layer.Readers, func(r *net.Layer) bool { return strings.HasSuffix(s.Name, "."+r.Bias()) }) {
				moment = c.readers
			}
			for i := range s.Data {
				s.Data[i] = moment
			}
			if strings.HasPrefix(s.Name, "optimizer.m") && strings.HasSuffix(s.Name, "."+layer.Bias()) {
				s.Data[3] = c.unit
			}
		}
		if got := learn.Recycle(arch, state, rand.New(rand.NewPCG(1, 2))); got != c.want {
			t.Errorf("with a moment of %g, and %g behind it, %d units are dormant, want %d", c.unit, c.readers, got, c.want)
		}
	}
}

// clone copies a state.
func clone(state []net.Tensor) []net.Tensor {
	state = slices.Clone(state)
	for i, s := range state {
		state[i].Data = slices.Clone(s.Data)
	}
	return state
}
