package gpu

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/durable"
)

// fastest returns the fastest way to run a convolution on the device, which it measures the
// first time and keeps in the user's cache directory. All ways give the same bits, so the
// choice changes no result.
func (d *Device) fastest(form kernels.Form, c kernels.Conv) kernels.Launch {
	all := form.Launches(c)
	if len(all) == 1 || d.Info().Host {
		return all[0]
	}
	d.tuning.Lock()
	defer d.tuning.Unlock()
	path := d.cacheFile(form)
	if d.chosen[path] == nil {
		d.chosen[path] = read(path)
	}
	chosen := d.chosen[path]
	key := fmt.Sprintf("%d to %d channels, %d squares", c.In, c.Out, c.Taps)
	if i := slices.IndexFunc(all, func(l kernels.Launch) bool { return l.Kernel == chosen[key] }); i >= 0 {
		return all[i]
	}
	fastest, err := d.measure(form, c, all)
	if err != nil {
		// If the device has a fault, putting the network on it will report that.
		return all[0]
	}
	chosen[key] = fastest.Kernel
	if err := write(path, chosen); err != nil {
		slog.Debug("the fastest kernels are measured again next time", "error", err)
	}
	return fastest
}

// cacheFile is the file of the fastest kernels of a device, of this version of the program.
func (d *Device) cacheFile(form kernels.Form) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	p, i := form.Program(), d.Info()
	hash := sha256.Sum256(fmt.Append(nil, p.Source, p.Defines, i.Driver, i.Name, i.Detail))
	return filepath.Join(dir, "warren", fmt.Sprintf("kernels-%x.json", hash[:8]))
}

func read(path string) map[string]string {
	chosen := map[string]string{}
	text, err := durable.ReadFile(path, durable.Document)
	if err != nil {
		return chosen
	}
	if err := json.Unmarshal(text, &chosen); err != nil || chosen == nil {
		return map[string]string{} // a damaged file is written anew
	}
	return chosen
}

func write(path string, chosen map[string]string) error {
	text, err := json.MarshalIndent(chosen, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return durable.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// trial is the memory in which kernels are compared.
type trial struct {
	context compute.Context
	queue   compute.Queue
	result  compute.Staging
	buffers []compute.Buffer
}

func (t *trial) release() {
	if t.queue != nil {
		t.queue.Release()
	}
	for _, b := range t.buffers {
		b.Release()
	}
	if t.result != nil {
		t.result.Release()
	}
}

// measure runs a convolution in each way in turn, several times, and returns the way with the
// lowest time. A way whose bits differ from those of the first is left out, with a warning.
func (d *Device) measure(form kernels.Form, c kernels.Conv, ways []kernels.Launch) (fastest kernels.Launch, err error) {
	context, err := d.context(form)
	if err != nil {
		return fastest, err
	}
	defer d.release(context)
	boards := max(8*d.Info().Units, most) / most * most
	t := &trial{context: context}
	defer t.release()
	if t.queue, err = context.Queue(); err != nil {
		return fastest, err
	}
	in, out := form.Channels(c.In), form.Channels(c.Out)
	bytesOut := boards * 64 * out * form.Size()
	if t.result, err = context.Staging(bytesOut); err != nil {
		return fastest, err
	}
	args, err := t.arguments(form, c, boards*64*in, bytesOut)
	if err != nil {
		return fastest, err
	}

	var first []byte
	var lowest time.Duration
	var launches []compute.Launch
	for _, way := range ways {
		k, err := context.Kernel(way.Kernel, way.Group, args...)
		if err != nil {
			return fastest, err
		}
		defer k.Release()
		launches = append(launches, compute.Launch{Kernel: k, Groups: [2]int{boards / way.Boards, way.Parts}})
	}
	const turns, runs = 4, 4
	wrong := make([]bool, len(ways))
	for turn := range turns {
		for i, l := range launches {
			if wrong[i] {
				continue
			}
			if turn == 0 { // it also warms up
				got, err := t.run(l)
				if err != nil {
					return fastest, err
				}
				if first == nil {
					first = got
				}
				if wrong[i] = !bytes.Equal(got, first); wrong[i] {
					slog.Warn("a kernel is left out, because its results are wrong", "device", d.Name(), "kernel", ways[i].Kernel)
				}
				continue
			}
			begin := time.Now()
			for range runs {
				if err := t.queue.Launch(l); err != nil {
					return fastest, err
				}
			}
			if err := t.wait(); err != nil {
				return fastest, err
			}
			if took := time.Since(begin); lowest == 0 || took < lowest {
				lowest, fastest = took, ways[i]
			}
		}
	}
	return fastest, nil
}

// arguments returns the arguments of a convolution of random numbers.
func (t *trial) arguments(form kernels.Form, c kernels.Conv, numbers, bytesOut int) ([]any, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = rng.Float32() - 0.5
		}
		return v
	}
	weights := form.Pack(c, random(c.Taps*c.In*c.Out))
	for _, data := range [][]byte{form.Store(random(numbers)), weights, kernels.Floats(random(form.Stride(c.Out)))} {
		b, err := t.put(data)
		if err != nil {
			return nil, err
		}
		t.buffers = append(t.buffers, b)
	}
	y, err := t.context.Buffer(bytesOut)
	if err != nil {
		return nil, err
	}
	t.buffers = append(t.buffers, y)
	x := t.buffers[0]
	return []any{x, t.buffers[1], t.buffers[2], int32(0), x, y,
		int32(form.Channels(c.In)), int32(form.Channels(c.Out)), int32(form.Stride(c.Out)), int32(c.Taps), int32(0)}, nil
}

func (t *trial) put(data []byte) (compute.Buffer, error) {
	b, err := t.context.Buffer(len(data))
	if err != nil {
		return nil, err
	}
	staging, err := t.context.Staging(len(data))
	if err != nil {
		b.Release()
		return nil, err
	}
	defer staging.Release()
	copy(staging.Bytes(), data)
	if err = t.queue.Write(b, staging, len(data)); err == nil {
		err = t.wait()
	}
	if err != nil {
		b.Release()
		return nil, err
	}
	return b, nil
}

// run runs a kernel and returns its results.
func (t *trial) run(l compute.Launch) ([]byte, error) {
	if err := t.queue.Launch(l); err != nil {
		return nil, err
	}
	if err := t.queue.Read(t.result, t.buffers[3], len(t.result.Bytes())); err != nil {
		return nil, err
	}
	if err := t.wait(); err != nil {
		return nil, err
	}
	return slices.Clone(t.result.Bytes()), nil
}

func (t *trial) wait() error {
	mark, err := t.queue.Flush()
	if err != nil {
		return err
	}
	return mark.Wait()
}
