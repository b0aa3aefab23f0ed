package gpu

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/compute/ptx"
	"warren/internal/eval"
	"warren/net"
)

// TestResident evaluates networks of which one launch of package ampere computes all but the heads, by the
// interpreter of PTX. The logits have the bits of a launch for each convolution, in large batches and in
// small ones, for which the kernels differ.
func TestResident(t *testing.T) {
	for i, c := range []net.Config{
		{Blocks: 2, Channels: 64, PoolEvery: 2, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 16, Auxiliary: "stopped"},
		{Blocks: 1, Channels: 64, PoolEvery: 1, PolicyChannels: 48, ValueChannels: 16, ValueHidden: 16},
		{Blocks: 2, Channels: 128, PoolEvery: 2, PolicyChannels: 32, ValueChannels: 16, ValueHidden: 16},
		{Blocks: 1, Channels: 256, PoolEvery: 1, PolicyChannels: 48, ValueChannels: 32, ValueHidden: 16},
	} {
		t.Run(c.String(), func(t *testing.T) {
			if testing.Short() && i > 0 {
				t.Skip("an interpreter is slow")
			}
			n, d := lively(t, c, 1), NewDevice(&ptx.Device{Seed: 1, Compute: 86})
			builds := buildsOf(d.Info(), tensor16, n)
			if len(builds) != 2 || !builds[0].isResident() {
				t.Fatalf("the builds are %+v", builds)
			}
			positions := random(640 / c.Channels)
			want := reference(t, n, positions)
			var logits [][]float32
			for _, of := range builds {
				p, err := newPlan(n, of)
				if err != nil {
					t.Fatal(err)
				}
				b := &Backend{device: d, plan: p, most: 16}
				if path := b.Attributes().Path; path != "ptx-fp16-mma86" {
					t.Errorf("the path is %s", path)
				}
				s, err := b.Open(positions.Len())
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				logits = append(logits, outputs(t, s.(*stream), positions))
				if !of.isResident() {
					break
				}
				few := new(eval.Batch)
				few.Add(positions.Position(1), positions.Legal(1))
				each := len(logits[0]) / positions.Len()
				if got := outputs(t, s.(*stream), few); !slices.Equal(got, logits[0][each:][:each]) {
					t.Error("alone a position has other bits")
				}
			}
			if !slices.Equal(logits[0], logits[1]) {
				t.Error("a launch for each convolution has other bits")
			}
			most := 0.0
			for k := range want {
				most = max(most, math.Abs(float64(logits[0][k])-want[k]))
			}
			t.Logf("largest difference of logits %.2g", most)
			if !(most <= 5e-3) {
				t.Errorf("logits differ by %.2g", most)
			}
		})
	}
}

// changing is an interpreter that changes kernels for all blocks whose text has a word.
type changing struct {
	ptx.Device
	word, from, to string
	times          int // in the first places alone, or 0
	units          int
	changed        int
}

func (c *changing) Info() compute.Info {
	i := c.Device.Info()
	i.Units = max(i.Units, c.units)
	return i
}

func (c *changing) Open(p compute.Program) (compute.Context, error) {
	for i, text := range p.More {
		p.More[i] = func() ([]byte, error) {
			b, err := text()
			s := string(b)
			if strings.Contains(s, c.word) {
				c.changed++
				s = strings.Replace(s, c.from, c.to, cmp.Or(c.times, -1))
			}
			return []byte(s), err
		}
	}
	return c.Device.Open(p)
}

// TestSlowerKernels has devices that do not accept a kernel for all blocks, or compute it wrongly. Another one
// computes instead, and the kernel is not tried again.
func TestSlowerKernels(t *testing.T) {
	n := lively(t, net.Config{Blocks: 1, Channels: 64, PoolEvery: 1, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}, 1)
	for _, c := range []struct {
		changing
		want string // the kernel
	}{
		{changing{Device: ptx.Device{Compute: 86}, word: "ampere64x4", from: "mma.sync", to: "mma.unknown"}, ""},
		{changing{Device: ptx.Device{Compute: 86}, word: "ampere64x4", from: "max.NaN.f32", to: "min.NaN.f32"}, ""},
		// The kernel for large batches alone, which here have at least 7 positions.
		{changing{Device: ptx.Device{Compute: 86}, word: "ampere64x4", from: "max.NaN.f32", to: "min.NaN.f32", times: 16, units: 2}, ""},
		{changing{Device: ptx.Device{Compute: 90}, word: "network64", from: "wgmma", to: "unknown"}, "ampere64x4"},
	} {
		d := NewDevice(&c.changing)
		for range 2 {
			b, err := New(d, n, tensor16)
			if err != nil {
				t.Fatal(err)
			}
			if got := b.plan.kernel(); got != c.want {
				t.Errorf("instead of %s computes %q, want %q", c.word, got, c.want)
			}
		}
		if c.changed != 1 {
			t.Errorf("%s was tried %d times", c.word, c.changed)
		}
	}
}

// TestBuildsOf has devices and networks with kernels for all blocks, and others.
func TestBuildsOf(t *testing.T) {
	with := func(change func(*net.Config)) net.Config {
		c := wide
		change(&c)
		return c
	}
	for _, c := range []struct {
		compute int
		form    kernels.Form
		net     net.Config
		want    []string
	}{
		{90, tensor16, wide, []string{"network64", "ampere64x4", ""}},
		{80, tensor16, wide, []string{"ampere64x4", ""}},
		{120, tensor16, with(func(c *net.Config) { c.Channels = 128 }), []string{"ampere128x2", ""}},
		{89, tensor16, with(func(c *net.Config) { c.Channels = 256 }), []string{"ampere256x1", ""}},
		{89, tensor16, with(func(c *net.Config) { c.PolicyChannels = 80 }), []string{""}},
		{90, tensor16, with(func(c *net.Config) { c.PolicyChannels = 80 }), []string{"tower64", ""}},
		{89, tensor16, with(func(c *net.Config) { c.Channels = 96 }), []string{""}},
		{75, kernels.Form{}, wide, []string{""}},
		{75, tensor16, wide, []string{""}},
		{0, tensor16, wide, []string{""}}, // OpenCL
	} {
		var got []string
		for _, b := range buildsOf(compute.Info{Compute: c.compute, Units: 100}, c.form, lively(t, c.net, 1)) {
			got = append(got, b.kernel())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d, %+v, %v: the kernels are %q, want %q", c.compute, c.form, c.net, got, c.want)
		}
	}
}

// TestBatchChoosesKernel counts the groups of batches of several sizes.
func TestBatchChoosesKernel(t *testing.T) {
	n := lively(t, wide, 1)
	p, err := newPlan(n, buildsOf(compute.Info{Compute: 86, Units: 80}, tensor16, n)[0])
	if err != nil {
		t.Fatal(err)
	}
	made := make([]compute.Kernel, len(p.steps))
	for i := range made {
		made[i] = place{3, i}
	}
	for batch, want := range map[int][2]int{1: {1, 1}, 80: {1, 80}, 240: {1, 240}, 320: {0, 80}, 330: {1, 330}, 640: {0, 160}, 4096: {0, 1024}} {
		first := p.launches(nil, made, batch)[0]
		if got := [2]int{first.Kernel.(place).at, first.Groups[0]}; got != want {
			t.Errorf("a batch of %d has kernel and groups %v, want %v", batch, got, want)
		}
	}
}
