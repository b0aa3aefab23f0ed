package gpu

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
)

// plain is a device in plain Go, whose kernels set their output to 1, or to 2 if they are
// wrong. It counts how often it was opened.
type plain struct {
	wrong map[string]bool
	opens int
	held  int // buffers and kernels that were not released
}

func (p *plain) Info() compute.Info { return compute.Info{Driver: "plain", Units: 1, Memory: 1 << 30} }

func (p *plain) Open(compute.Program) (compute.Context, error) {
	p.opens++
	return p, nil
}

func (p *plain) Kernel(name string, _ int, args ...any) (compute.Kernel, error) {
	p.held++
	return &plainKernel{p, p.wrong[name], args[5].(*plainBuffer)}, nil
}

func (p *plain) Buffer(bytes int) (compute.Buffer, error) {
	p.held++
	return &plainBuffer{p, make([]byte, bytes)}, nil
}

func (p *plain) Staging(bytes int) (compute.Staging, error) {
	p.held++
	return &plainBuffer{p, make([]byte, bytes)}, nil
}

func (p *plain) Queue() (compute.Queue, error) { return p, nil }
func (p *plain) Close() error                  { return nil }
func (p *plain) Release()                      {}

func (p *plain) Write(dst compute.Buffer, src compute.Staging, bytes int) error {
	copy(dst.(*plainBuffer).data, src.Bytes()[:bytes])
	return nil
}

func (p *plain) Read(dst compute.Staging, src compute.Buffer, bytes int) error {
	copy(dst.Bytes(), src.(*plainBuffer).data[:bytes])
	return nil
}

func (p *plain) Launch(launches ...compute.Launch) error {
	for _, l := range launches {
		k := l.Kernel.(*plainKernel)
		for i := range k.y.data {
			k.y.data[i] = 1
		}
		if k.wrong {
			k.y.data[len(k.y.data)-1] = 2
		}
	}
	return nil
}

func (p *plain) Flush() (compute.Mark, error) { return done{}, nil }

type plainKernel struct {
	on    *plain
	wrong bool
	y     *plainBuffer
}

func (k *plainKernel) Release() { k.on.held-- }

type plainBuffer struct {
	on   *plain
	data []byte
}

func (b *plainBuffer) Bytes() []byte { return b.data }
func (b *plainBuffer) Release()      { b.on.held-- }

// TestFastest measures the ways to run a convolution, and finds the result in the cache
// afterwards. A way that computes something else is never taken.
func TestFastest(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	form, conv := kernels.Form{Half: true, Tensor: true}, kernels.ConvShape{In: 16, Out: 256, Taps: 9}
	ways := form.Launches(conv)
	if len(ways) != 6 {
		t.Fatalf("there are %d ways", len(ways))
	}
	for right := range ways {
		on := &plain{wrong: map[string]bool{}}
		for i, way := range ways {
			on.wrong[way.Kernel] = i != right && i != 0
		}
		os.RemoveAll(filepath.Dir(NewDevice(on).cacheFile(form)))
		first := NewDevice(on).fastest(build{form: form}, conv)
		if first != ways[0] && first != ways[right] || on.opens != 1 || on.held != 0 {
			t.Errorf("it chose %+v, opened the device %d times, and left %d buffers", first, on.opens, on.held)
		}
		if again := NewDevice(on).fastest(build{form: form}, conv); again != first || on.opens != 1 {
			t.Errorf("then it chose %+v, and opened the device %d times", again, on.opens)
		}
		text, err := os.ReadFile(NewDevice(on).cacheFile(form))
		if err != nil || !strings.Contains(string(text), `"16 to 256 channels, 9 squares": "`+first.Kernel+`"`) {
			t.Errorf("the file has %s, %v", text, err)
		}
	}
}

func TestCacheOfKernelsIsForgiving(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "kernels.json")
	if got := read(path); len(got) != 0 {
		t.Errorf("without a file: %v", got)
	}
	if err := write(path, map[string]string{"a": "b"}); err != nil {
		t.Fatal(err)
	}
	if got := read(path); got["a"] != "b" {
		t.Errorf("got %v", got)
	}
	for _, text := range []string{"", "{", `{"a": 1}`, "null"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := read(path); got == nil || len(got) != 0 {
			t.Errorf("with %q: %v", text, got)
		}
	}
}

// TestWaysAgree runs a convolution in every way, with tensor cores emulated.
func TestWaysAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("the emulation of tensor cores takes a while")
	}
	d := device(t)
	form, conv := kernels.Form{Half: true, Tensor: true}, kernels.ConvShape{In: 16, Out: 256, Taps: 9}
	c, err := d.context(build{form: form})
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{context: c}
	defer tr.release()
	if tr.queue, err = c.Queue(); err != nil {
		t.Fatal(err)
	}
	call, err := tr.convolution(form, conv, most)
	if err != nil {
		t.Fatal(err)
	}
	var first []byte
	for _, way := range form.Launches(conv) {
		l, err := tr.launch(call, way, most)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tr.run(l)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) {
			t.Errorf("%s gives other bits", way.Kernel)
		}
	}
}
