// Package speed measures how fast this machine plays and learns.
package speed

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"warren/internal/console"
	"warren/internal/eval/device"
	"warren/internal/kernel"
	"warren/internal/metrics"
	"warren/internal/plural"
	"warren/internal/recipe"
	"warren/internal/settings"
	"warren/net"
)

const description = `Measure how fast this machine plays and learns.

This takes about a minute with the defaults. Run nothing else meanwhile. The networks are untrained;
trained ones are just as fast. A table has every way to evaluate a network here; a star marks that which auto takes.

Examples:
  warren speed                             the presets quick and desktop, which ends with 6x64
  warren speed --config desktop --time 3s  one preset, with longer measurements
  warren speed --devices                   only the devices, with networks of several sizes
  warren speed --devices --on cuda:0       one of them
  WARREN_KERNEL=avx2 warren speed          with other kernels: int16, amx, avx512, avx2, neon or go`

type flags struct {
	Config  []string      `placeholder:"FILE" sep:"none" help:"Settings to measure, those of the last stage: a YAML file, or a preset (${presets}). May be repeated. Default: quick, desktop."`
	Devices bool          `help:"List the devices and measure only the evaluations/s and training samples/s on each, with networks of 6x64, 10x128 and 20x256."`
	On      []string      `placeholder:"NAME" help:"With --devices: only this device, such as cuda:0. May be repeated."`
	Time    time.Duration `default:"1s" placeholder:"D" help:"Length of a measurement. Default: 1s."`
}

// Main runs the command.
func Main(c console.Command) {
	var f flags
	c.Parse(&f, description, "presets", strings.Join(settings.Presets(), ", "))
	c.Run(f.run)
}

func (f *flags) run(ctx context.Context, out io.Writer) error {
	kernels, err := kernel.Chosen()
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	m := &meter{ctx: ctx, time: f.Time, report: out, progress: progress}
	defer m.rest()
	if err := f.measure(m, kernels); err != nil {
		return err
	}
	if ctx.Err() != nil {
		progress.Close()
		fmt.Fprintln(os.Stderr, "\nStopped early; the measurements above are complete.")
		return console.ErrStopped
	}
	return nil
}

// measure takes the measurements that the flags ask for, until the context ends.
func (f *flags) measure(m *meter, kernels *kernel.Path) error {
	if f.Devices {
		return m.devicesOnly(f.On)
	}
	names := f.Config
	if len(names) == 0 {
		names = []string{"quick", "desktop"}
	}
	all := make([]recipe.Config, len(names))
	for i, name := range names {
		var err error
		if all[i], err = recipe.ReadLast(name, nil, os.Stderr); err != nil {
			return err
		}
	}
	ways := append(onDevices(device.Names()[1:]), otherKernels(kernels)...)
	m.total = len(ways) + 1 + 3*len(names)

	last := all[len(all)-1]
	m.printf("%s/%s, %s, %s; networks play on %s and learn on %s kernels\n", runtime.GOOS, runtime.GOARCH, plural.Of(runtime.GOMAXPROCS(0), "processor"), runtime.Version(), path(last.Network, kernels), kernels.Name)
	if err := m.devices(last.Network, ways, []int{1, 8, 32}); err != nil {
		return err
	}
	m.searching(last)
	return m.configs(names, all)
}

// path returns the name of the path that evaluates networks like c here.
func path(c net.Config, kernels *kernel.Path) string {
	if forced := kernel.Forced(); forced == kernel.AMX || forced == kernel.Int16 {
		return forced
	}
	if fastest := device.Fastest(c); fastest != "cpu" {
		return fastest
	}
	return kernels.Name
}

// check refuses flags that do not fit together.
func (f *flags) check() error {
	if f.Time <= 0 {
		return fmt.Errorf("--time is %v, must be above zero", f.Time)
	}
	if len(f.On) > 0 && !f.Devices {
		return fmt.Errorf("--on %s: it is for --devices", f.On[0])
	}
	if len(f.Config) > 0 && f.Devices {
		return fmt.Errorf("--config %s: it has no effect with --devices, which measures networks of fixed sizes", f.Config[0])
	}
	for _, name := range f.On {
		if err := device.Check(name); err != nil {
			return fmt.Errorf("--on: %w", err)
		}
	}
	return nil
}
