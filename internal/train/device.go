package train

import (
	"fmt"
	"log/slog"

	"warren/internal/eval/device"
	"warren/internal/recipe"
)

// settleDevice replaces "auto" in the settings by the name of a device. It is the one that the
// run used before, if this machine has it, so that a run does not change its path. A new
// run takes the fastest, and a synchronous one the processor, which every machine has.
func settleDevice(c, before *recipe.Config, log *slog.Logger) {
	choose := func() string {
		if c.Loop.Mode == recipe.Sync {
			return "cpu"
		}
		return device.Fastest(c.Network)
	}
	if c.Device != device.Auto {
		return
	}
	if before == nil {
		c.Device = choose()
		return
	}
	if c.Device = before.Device; c.Device == device.Auto {
		c.Device = "cpu" // what auto meant to earlier versions
	}
	if err := device.Check(c.Device); err != nil {
		c.Device = choose()
		log.Warn(fmt.Sprintf("the run was evaluated on %s, which cannot be used here: it continues on %s", before.Device, c.Device), "error", err)
	}
}
