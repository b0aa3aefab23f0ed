package train

import (
	"fmt"
	"log/slog"

	"warren/internal/eval/device"
	"warren/internal/recipe"
)

// settleDevice replaces "auto" in the settings of all stages by the name of a device. It is the one that the
// run used before, if this machine has it, so that a run does not change its path. A new
// run takes the fastest, and a synchronous one the processor, which every machine has.
func settleDevice(stages []recipe.Stage, before *recipe.Config, log *slog.Logger) {
	if stages[0].Device != device.Auto {
		return
	}
	name := settledDevice(stages, before, log)
	for i := range stages {
		stages[i].Device = name
	}
}

func settledDevice(stages []recipe.Stage, before *recipe.Config, log *slog.Logger) string {
	fastest := "cpu"
	if last := &stages[len(stages)-1]; last.Loop.Mode != recipe.Sync {
		fastest = device.Fastest(last.Network) // the largest, which takes the most time
	}
	if before == nil || before.Device == device.Auto {
		return fastest
	}
	if err := device.Check(before.Device); err != nil {
		log.Warn(fmt.Sprintf("the run was evaluated on %s, which cannot be used here: it continues on %s", before.Device, fastest), "error", err)
		return fastest
	}
	return before.Device
}
