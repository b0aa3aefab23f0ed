package device

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/computetest"
	"warren/internal/compute/ptx"
	"warren/internal/eval/device"
	"warren/internal/learn"
	"warren/internal/learn/gpu"
	"warren/internal/learn/graph"
	"warren/internal/learn/learntest"
	"warren/internal/nettest"
	"warren/net"
)

var small = net.Config{Blocks: 2, Channels: 8, PoolEvery: 2, PolicyChannels: 4, ValueChannels: 2, ValueHidden: 4, Auxiliary: strings.Join(net.AuxiliaryHeads(), " ")}

func network(t *testing.T) *net.Network { return nettest.New(t, small, 1) }

func TestChoice(t *testing.T) {
	config := learn.DefaultConfig()
	config.Batch = 2
	var lines strings.Builder
	c := Choose("opencl:99, cpu", slog.New(slog.NewTextHandler(&lines, nil)))
	on, err := c.New(network(t), config)
	if err != nil {
		t.Fatal(err)
	}
	on.Close()
	if _, ok := on.(*graph.Trainer); !ok || strings.Count(lines.String(), "opencl:99 cannot be used for learning: it continues on cpu") != 1 {
		t.Errorf("the choice is a %T, logged %s", on, lines.String())
	}
	if err := c.Lost(learn.ErrLost); !errors.Is(err, learn.ErrLost) || !strings.Contains(err.Error(), "learner.device=cpu,cpu") {
		t.Errorf("the last device is lost: %v", err)
	}
	c = Choose("opencl:98,opencl:99", slog.New(slog.DiscardHandler))
	if _, err := c.New(network(t), config); err == nil || !strings.Contains(err.Error(), "opencl:99") {
		t.Errorf("without a device: %v", err)
	}
}

func TestNew(t *testing.T) {
	c := learn.DefaultConfig()
	c.Batch = 2
	on, err := New(network(t), c)
	if _, ok := on.(*graph.Trainer); !ok || err != nil {
		t.Errorf("the default is a %T, %v", on, err)
	}
	on.Close()
	for name, want := range map[string]string{
		"cpi":           "learner.device must be cpu or a graphics processor: \"cpi\" is not a graphics processor (there are: ",
		"opencl:0/fp16": "the device \"opencl:0",
		"opencl:x":      "write opencl:0",
	} {
		c.Device = name
		if _, err := New(network(t), c); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one line with %q", name, err, want)
		}
	}
	c.Device = "opencl:0"
	if _, _, err := device.Processor(c.Device); err != nil {
		t.Skipf("not tested here: %v", err)
	}
	for _, c.Optimizer.Method = range []string{learn.Adam, learn.Muon, learn.SGD} {
		if err := c.Validate(small); err != nil {
			t.Error(err)
		}
		on, err = New(network(t), c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := on.Step(learntest.Lesson(small, 1, 2), 0.01); err != nil {
			t.Error(err)
		}
		if err := on.Close(); err != nil {
			t.Error(err)
		}
	}
}

// miscompiled is an interpreter of a program whose PTX was changed.
type miscompiled struct {
	ptx.Device
	from, to string
}

func (m *miscompiled) Open(p compute.Program) (compute.Context, error) {
	changed := func(text func() ([]byte, error)) func() ([]byte, error) {
		return func() ([]byte, error) {
			b, err := text()
			return []byte(strings.ReplaceAll(string(b), m.from, m.to)), err
		}
	}
	p.PTX = changed(p.PTX)
	for i, text := range p.More {
		p.More[i] = changed(text)
	}
	return m.Device.Open(p)
}

// TestMixedPrecisionIsChecked has right and wrong kernels in bf16.
func TestMixedPrecisionIsChecked(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"", "", ""},
		{"ldmatrix.sync.aligned.m8n8.x4.trans", "ldmatrix.sync.aligned.m8n8.x4", "is refused: its gradient, as a fraction of the norm, differs"},
		{"cvt.rn.bf16x2.f32", "cvt.rn.f16x2.f32", "is refused: its gradient, as a fraction of the norm, differs"},
	} {
		config := learn.DefaultConfig()
		config.Optimizer.Method = learn.SGD
		err := check(&miscompiled{from: c.from, to: c.to}, network(t), config, gpu.BF16)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q instead of %q: got %v, want %q", c.to, c.from, err, c.want)
		}
	}
}

// failing is an interpreter that opens a program only for compute capability 8.0, or none, and keeps those of others.
type failing struct {
	ptx.Device
	none  bool
	opens int
	texts string
}

func (f *failing) Open(p compute.Program) (compute.Context, error) {
	f.opens++
	for _, text := range p.More {
		b, err := text()
		if err != nil {
			return nil, err
		}
		f.texts += string(b)
	}
	if len(p.More) > 0 {
		return nil, errors.New("an unknown instruction")
	}
	if f.none {
		return nil, errors.New("a fault")
	}
	return f.Device.Open(p)
}

// TestCheckedKernels checks those that learning uses, not those for the few positions of the check.
func TestCheckedKernels(t *testing.T) {
	n := nettest.New(t, net.Config{Blocks: 1, Channels: 64, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 4}, 1)
	for _, c := range []struct {
		batch       int
		want, older string
	}{{256, "forward64x1", "mixed9_2x2x4x3"}, {1024, "forward64x4", "mixed9_4x2x4x3"}} {
		config, d := learn.DefaultConfig(), new(failing)
		config.Batch = c.batch
		if err := check(d, n, config, gpu.BF16); err == nil || !strings.Contains(d.texts, ".entry "+c.want+"(") {
			t.Errorf("minibatches of %d are not checked with %s: %v", c.batch, c.want, err)
		}
		if err := check(&refusing{ptx.Device{Compute: 80}}, n, config, gpu.BF16); err == nil || !strings.Contains(err.Error(), c.older) {
			t.Errorf("minibatches of %d are not checked with %s: %v", c.batch, c.older, err)
		}
	}
}

// refusing is an interpreter whose error names the first convolution.
type refusing struct{ ptx.Device }

type refusingContext struct{ compute.Context }

func (r *refusing) Open(p compute.Program) (compute.Context, error) {
	c, err := r.Device.Open(p)
	return refusingContext{c}, err
}

func (r refusingContext) Kernel(name string, group int, args ...any) (compute.Kernel, error) {
	if strings.HasPrefix(name, "mixed") {
		return nil, errors.New(name)
	}
	return r.Context.Kernel(name, group, args...)
}

// TestOlderKernels learns without the kernels for compute capability 9.0 where they fail.
func TestOlderKernels(t *testing.T) {
	n := nettest.New(t, net.Config{Blocks: 1, Channels: 64, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 4}, 1)
	config := learn.DefaultConfig()
	config.Batch = 1
	config.Optimizer.Method = learn.SGD
	var lines strings.Builder
	c := Choose("cuda:0", slog.New(slog.NewTextHandler(&lines, nil)))
	on, err := c.open(&failing{}, n, config, gpu.BF16)
	if err != nil {
		t.Fatal(err)
	}
	if err := on.Close(); err != nil {
		t.Error(err)
	}
	if on.Path() != "ptx-bf16-mma80" || strings.Count(lines.String(), "level=WARN") != 1 || !strings.Contains(lines.String(), "an unknown instruction") {
		t.Errorf("the path is %s, logged %s", on.Path(), lines.String())
	}
}

// TestNoKernels has devices that accept no kernels. The error is that of the first.
func TestNoKernels(t *testing.T) {
	n := nettest.New(t, net.Config{Blocks: 1, Channels: 64, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 4}, 1)
	for _, c := range []struct {
		compute, opens int
		want           string
	}{{90, 2, "an unknown instruction"}, {86, 1, "a fault"}} {
		d := &failing{Device: ptx.Device{Compute: c.compute}, none: true}
		on := Choose("cuda:0", slog.New(slog.DiscardHandler))
		if _, err := on.open(d, n, learn.DefaultConfig(), gpu.BF16); err == nil || !strings.Contains(err.Error(), c.want) || d.opens != c.opens {
			t.Errorf("compute capability %d: it was opened %d times: %v", c.compute, d.opens, err)
		}
	}
}

func TestWrongGradientsAreRefused(t *testing.T) {
	d, _, err := device.Processor("opencl:0")
	if err != nil {
		t.Skipf("not tested here: %v", err)
	}
	for _, c := range []struct{ method, from, to, want string }{
		{learn.Muon, "", "", ""},
		{learn.Adam, "if (flags & RESIDUAL) s +=", "if (flags & RESIDUAL) s -=", "is refused: the loss of "},
		{learn.Adam, "-RANK(taps, tap), -FILE", "RANK(taps, tap), -FILE", "is refused: its gradient, as a fraction of the norm, differs from the processor's by "},
		{learn.Adam, "/ (sqrt(s) +", "/ (s +", "is refused: a step of adam, as a fraction of its length, differs from the processor's by "},
		{learn.Muon, "2.0315f * v", "1.5f * v", "is refused: a step of muon, as a fraction of its length, differs from the processor's by "},
	} {
		config := learn.DefaultConfig()
		config.Optimizer.Method = c.method
		err := check(&computetest.Faulty{Device: d, From: c.from, To: c.to}, network(t), config, gpu.FP32)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q instead of %q: got %v, want %q", c.to, c.from, err, c.want)
		}
	}
}
