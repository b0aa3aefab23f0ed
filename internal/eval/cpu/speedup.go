package cpu

import (
	"fmt"
	"sync"
	"time"

	"warren/game"
	"warren/net"
)

// Speedup returns the ratio of the speed of the tile unit to that of the fp32 kernels in evaluating
// a network on this machine. The first call takes a few hundredths of a second; later calls return
// the same answer. Speedup fails if there is no tile unit.
//
// It measures a network of one block with at most 64 channels: the wider a network, the more
// the tiles gain.
func Speedup(c net.Config) (float64, error) {
	speedups.Lock()
	defer speedups.Unlock()
	c.Blocks, c.Channels, c.PoolEvery = 1, min(c.Channels, 64), 0
	if known, ok := speedups.known[c]; ok {
		return known, nil
	}
	ratio, err := measureSpeedup(c)
	if err == nil {
		speedups.known[c] = ratio
	}
	return ratio, err
}

var speedups = struct {
	sync.Mutex
	known map[net.Config]float64
}{known: map[net.Config]float64{}}

// measureSpeedup runs the two in turns and compares their lowest times.
func measureSpeedup(c net.Config) (float64, error) {
	n, err := net.New(c, 1)
	if err != nil {
		return 0, err
	}
	onTiles, err := NewAMX(n)
	if err != nil {
		return 0, err
	}
	inFloats, err := newFloats(n)
	if err != nil {
		return 0, err
	}
	const batch, turns = bestBatch, 20
	x := make([]float32, batch*net.InputSize)
	for i := range batch {
		net.Encode(game.New(), x[i*net.InputSize:])
	}
	policy, value := make([]float32, batch*game.NumActions), make([]float32, batch)
	var lowest [2]time.Duration
	plans := [2]*Plan{inFloats.NewPlan(batch), onTiles.NewPlan(batch)}
	for turn := range turns {
		for i, p := range plans {
			begin := time.Now()
			p.Forward(x, batch, policy, value)
			if took := time.Since(begin); turn == 1 || took < lowest[i] { // turn 0 warms up
				lowest[i] = took
			}
		}
	}
	if lowest[1] <= 0 {
		return 0, fmt.Errorf("measuring AMX: the clock does not advance")
	}
	return float64(lowest[0]) / float64(lowest[1]), nil
}
