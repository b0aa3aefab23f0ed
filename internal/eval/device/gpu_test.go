//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package device

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/ptx"
	"warren/internal/eval/gpu"
	"warren/internal/nettest"
	"warren/net"
)

// described is a device that describes itself otherwise.
type described struct {
	compute.Device
	driver  string
	compute int
}

func (d described) Info() compute.Info {
	i := d.Device.Info()
	i.Driver, i.Compute = d.driver, d.compute
	return i
}

func card(driver string, compute int) graphics {
	d := described{&ptx.Device{}, driver, compute}
	return graphics{gpu.NewDevice(d), d}
}

// TestPrecisions: int8 is there only for compute capability 9.0, and nowhere the default.
func TestPrecisions(t *testing.T) {
	for _, c := range []struct {
		graphics
		want string
	}{
		{card("cuda", 90), "fp16 fp32 int8"}, {card("cuda", 89), "fp16 fp32"}, {card("cuda", 100), "fp16 fp32"},
		{card("cuda", 75), "fp32"}, {card("opencl", 0), "fp32 fp16"},
	} {
		if got := strings.Join(c.precisions(), " "); got != c.want {
			t.Errorf("%s %d: %s, want %s", c.Info().Driver, c.Info().Compute, got, c.want)
		}
	}
	if p := card("cuda", 90).learning(); slices.Contains(p, "int8") {
		t.Error("learning is in", p)
	}
}

func TestOpensInt8(t *testing.T) {
	n := nettest.Lively(t, net.Config{Blocks: 1, Channels: 64, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}, 1)
	for precision, path := range map[string]string{"int8": "cuda-int8-wgmma90", "fp16": "cuda-fp16-wgmma90"} {
		b, err := card("cuda", 90).open(n, precision)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Attributes().Path; got != path {
			t.Errorf("%s is on the path %s", precision, got)
		}
	}
}

// TestCheckOfInt8: a check is no warning, and does not take the place of the one for a network without int8.
func TestCheckOfInt8(t *testing.T) {
	all, log := drivers, slog.Default()
	t.Cleanup(func() {
		drivers = all
		slog.SetDefault(log)
	})
	g := card("cuda", 90)
	drivers = []driver{{"cuda", func() ([]processor, error) { return []processor{g}, nil }}}
	logged := new(bytes.Buffer)
	slog.SetDefault(slog.New(slog.NewTextHandler(logged, nil)))
	if err := Check("cuda:0/int8"); err != nil || logged.Len() > 0 {
		t.Errorf("%v, log %s", err, logged)
	}
	logged.Reset()
	n := nettest.Lively(t, net.Config{Blocks: 1, Channels: 32, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}, 1)
	if _, err := g.open(n, "int8"); err != nil || !strings.Contains(logged.String(), "fp16 and not in int8") {
		t.Errorf("%v, log %s", err, logged)
	}
}
