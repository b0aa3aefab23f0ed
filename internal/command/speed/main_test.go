package speed

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"warren/internal/console"
	"warren/internal/eval/device"
	"warren/internal/kernel"
	"warren/internal/metrics"
	"warren/internal/recipe"
	"warren/internal/settings"
	"warren/net"
)

func TestSpeed(t *testing.T) {
	var out bytes.Buffer
	f := flags{Config: []string{"smoke"}, Time: 30 * time.Millisecond}
	if err := f.run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`kernels\n`,
		`\n\* cpu +\w+ +(fp32|bf16|int16) .*\d\n. amx .*\n  int16 +int16 +int16 .*\d\n`, `\* this is auto here\n`, `: [1-9]\d* evaluations/s`, `smoke +\dx\d+ +8( +[1-9]\d*){4}\n`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := f.run(ctx, io.Discard); err != console.ErrStopped {
		t.Errorf("stopped: %v", err)
	}
}

// A measurement plays with the visits that a run comes to, not with those of its first games, and a game that it has begun counts as a whole.
func TestGamesAreThoseOfTheSettings(t *testing.T) {
	c := recipe.DefaultConfig()
	if err := settings.Read("smoke", nil, &c); err != nil {
		t.Fatal(err)
	}
	c.SelfPlay.RandomOpenings = 0
	m := &meter{ctx: t.Context(), time: 1} // too short for a game
	want, err := m.perGame(c)
	if err != nil {
		t.Fatal(err)
	}
	c.SelfPlay.Visits.Initial = 2
	got, err := m.perGame(c)
	if err != nil {
		t.Fatal(err)
	}
	if got != want || want < 10 {
		t.Errorf("a game takes %g evaluations, and %g where the first games of a run have few visits", want, got)
	}
}

func TestDevices(t *testing.T) {
	defer func(networks []net.Config, batches []int) { deviceNetworks, deviceBatches = networks, batches }(deviceNetworks, deviceBatches)
	deviceNetworks, deviceBatches = []net.Config{sized(1, 8), sized(2, 16)}, []int{1, 8}
	var out bytes.Buffer
	f := flags{Devices: true, Time: 30 * time.Millisecond}
	if err := f.run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^opencl:`, `1x8 network.*\n +device.* 1 +8\n\* cpu +\w+ +\w+ +\d+ +\d+\n`, `2x16 network`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	t.Log(out.String())
}

// Self-play on a graphics processor says how busy that was, and self-play on the processor nothing.
func TestSelfPlaySaysHowBusyTheDeviceWas(t *testing.T) {
	c := recipe.DefaultConfig()
	if err := settings.Read("smoke", nil, &c); err != nil {
		t.Fatal(err)
	}
	m := &meter{ctx: t.Context(), time: 300 * time.Millisecond}
	if _, busy, err := m.selfplay(c); err != nil || busy != "" {
		t.Errorf("on the processor: %q, %v", busy, err)
	}
	c.Device = "opencl:0"
	if err := device.Check(c.Device); err != nil {
		t.Skipf("not tested here: %v", err)
	}
	if _, busy, err := m.selfplay(c); err != nil || !regexp.MustCompile(`^  opencl:0 had a batch in flight for ([1-9]\d?|100)% of the time of self-play$`).MatchString(busy) {
		t.Errorf("on a device: %q, %v", busy, err)
	}
}

func TestBadInput(t *testing.T) {
	for want, f := range map[string]flags{
		"--time":     {Time: -1},
		"smoke.yamk": {Config: []string{"smoke.yamk"}, Time: time.Second},
		"--config smoke: it has no effect with --devices": {Config: []string{"smoke"}, Devices: true, Time: time.Second},
		"--on": {On: []string{"cpu"}, Time: time.Second},
	} {
		if err := f.run(t.Context(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// On a terminal every line of the report is above the bar, and none is broken.
func TestReportIsAboveTheBar(t *testing.T) {
	c := recipe.DefaultConfig()
	if err := settings.Read("smoke", nil, &c); err != nil {
		t.Fatal(err)
	}
	var terminal bytes.Buffer
	m := &meter{ctx: t.Context(), time: time.Millisecond, report: &terminal, progress: metrics.OnTerminal(&terminal), total: 3}
	if err := m.configs([]string{"smoke"}, []recipe.Config{c}); err != nil {
		t.Fatal(err)
	}
	m.rest()
	if row := `\r  smoke +\dx\d+ +8( +\d+){4}\n`; !regexp.MustCompile(row).Match(terminal.Bytes()) {
		t.Errorf("no %q in %q", row, terminal.String())
	}
}

// drawings is a terminal that calls stop at the fifth drawing.
type drawings struct {
	n    int
	stop func()
}

func (d *drawings) Write(line []byte) (int, error) {
	if d.n++; d.n == 5 {
		d.stop()
	}
	return len(line), nil
}

// The bar is drawn again and again during a measurement, here until that ends it.
func TestBarDuringAMeasurement(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	terminal := &drawings{stop: stop}
	m := &meter{ctx: ctx, time: 20 * time.Second, report: io.Discard, progress: metrics.OnTerminal(terminal), total: 1}
	m.searching(recipe.DefaultConfig())
	m.rest()
	if ctx.Err() == nil {
		t.Errorf("the bar was drawn %d times", terminal.n)
	}
}

// A batch that takes longer than a measurement is left out.
func TestSlowBatchesAreLeftOut(t *testing.T) {
	var out bytes.Buffer
	m := &meter{ctx: t.Context(), time: 1, report: &out, progress: metrics.NewProgress(io.Discard)}
	defer m.rest()
	if err := m.devices(sized(1, 8), onDevices([]string{"cpu"}), []int{1, 2, 8}); err != nil {
		t.Fatal(err)
	}
	if row := `cpu .* \d+ +- +-\n`; !regexp.MustCompile(row).MatchString(out.String()) {
		t.Errorf("no %q in %s", row, &out)
	}
}

// The table of devices has every path of this processor, and a star at that which auto takes.
func TestEveryPathIsMeasured(t *testing.T) {
	var out bytes.Buffer
	progress := metrics.NewProgress(io.Discard)
	defer progress.Close()
	m := &meter{ctx: t.Context(), time: time.Second / 10, report: &out, progress: progress}
	defer m.rest()
	c := net.Config{Blocks: 1, Channels: 32, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 4}
	chosen, err := kernel.Chosen()
	if err != nil {
		t.Fatal(err)
	}
	ways := append(onDevices([]string{"cpu", "amx", "int16"}), otherKernels(chosen)...)
	if err := m.devices(c, ways, []int{1, 2}); err != nil {
		t.Fatal(err)
	}
	for _, p := range kernel.Paths() {
		want := `cpu +` + p.Name + ` +fp32 +\d+ +\d+\n`
		if p.Name != chosen.Name {
			want = `with WARREN_KERNEL=` + p.Name + `:\n +` + want + ` +int16 +int16 +int16 +\d+ +\d+\n`
		}
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %q", want)
		}
	}
	if star := `(?m)^\* ` + device.Fastest(c) + ` .*\d$`; !regexp.MustCompile(star).MatchString(out.String()) || strings.Count(out.String(), "\n*") != 2 {
		t.Errorf("no %q, or another star", star)
	}
	t.Log(out.String())
}
