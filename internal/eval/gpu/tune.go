package gpu

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
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
func (d *Device) fastest(of build, c kernels.ConvShape) kernels.Launch {
	all := of.form.Launches(c)
	if len(all) == 1 || d.Info().Host {
		return all[0]
	}
	d.tuning.Lock()
	defer d.tuning.Unlock()
	path := d.cacheFile(of.form)
	if d.chosen[path] == nil {
		d.chosen[path] = read(path)
	}
	chosen := d.chosen[path]
	key := fmt.Sprintf("%d to %d channels, %d squares", c.In, c.Out, c.Taps)
	if i := slices.IndexFunc(all, func(l kernels.Launch) bool { return l.Kernel == chosen[key] }); i >= 0 {
		return all[i]
	}
	fastest, err := d.measure(of, c, all)
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
	if err := durable.ReadJSON(path, &chosen); err != nil || chosen == nil {
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
	return durable.WriteBytes(path, text)
}

// measure runs a convolution in each way in turn, several times, and returns the way with the
// lowest time. A way whose bits differ from those of the first is left out, with a warning.
func (d *Device) measure(of build, c kernels.ConvShape, ways []kernels.Launch) (fastest kernels.Launch, err error) {
	context, err := d.context(of)
	if err != nil {
		return fastest, err
	}
	defer d.release(context)
	t := &trial{context: context}
	defer t.release()
	if t.queue, err = context.Queue(); err != nil {
		return fastest, err
	}
	boards := max(8*d.Info().Units, most) / most * most
	call, err := t.convolution(of.form, c, boards)
	if err != nil {
		return fastest, err
	}
	var first []byte
	var right []kernels.Launch
	var launches []compute.Launch
	for _, way := range ways {
		l, err := t.launch(call, way, boards)
		if err != nil {
			return fastest, err
		}
		got, err := t.run(l) // it also warms up
		if err != nil {
			return fastest, err
		}
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) {
			slog.Warn("a kernel is left out, because its results are wrong", "device", d.Name(), "kernel", way.Kernel)
			continue
		}
		right, launches = append(right, way), append(launches, l)
	}
	i, err := t.fastest(launches)
	return right[i], err
}

// trial is the memory in which kernels are compared.
type trial struct {
	context compute.Context
	queue   compute.Queue
	kernels []compute.Kernel
	buffers []compute.Buffer
	y       compute.Buffer // one of them: the result
	result  compute.Staging
}

func (t *trial) release() {
	if t.queue != nil {
		t.queue.Release()
	}
	for _, k := range t.kernels {
		k.Release()
	}
	for _, b := range t.buffers {
		b.Release()
	}
	if t.result != nil {
		t.result.Release()
	}
}

// launch returns a run of a convolution in one of its ways.
func (t *trial) launch(call kernels.Conv, way kernels.Launch, boards int) (compute.Launch, error) {
	call.Launch = way
	k, err := kernels.New(t.context, call)
	if err != nil {
		return compute.Launch{}, err
	}
	t.kernels = append(t.kernels, k)
	return compute.Launch{Kernel: k, Groups: [2]int{boards / way.Boards, way.Parts}}, nil
}

// fastest returns the index of the launch that takes the least time.
func (t *trial) fastest(launches []compute.Launch) (fastest int, err error) {
	const turns, runs = 3, 4
	var lowest time.Duration
	for range turns {
		for i, l := range launches {
			begin := time.Now()
			for range runs {
				if err := t.queue.Launch(l); err != nil {
					return 0, err
				}
			}
			if err := t.wait(); err != nil {
				return 0, err
			}
			if took := time.Since(begin); lowest == 0 || took < lowest {
				lowest, fastest = took, i
			}
		}
	}
	return fastest, nil
}

// convolution returns a convolution of random numbers, whose result run reads.
func (t *trial) convolution(form kernels.Form, c kernels.ConvShape, boards int) (call kernels.Conv, err error) {
	call = kernels.Conv{In: form.Channels(c.In), Out: form.Channels(c.Out), Stride: form.Stride(c.Out), Taps: c.Taps}
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = rng.Float32() - 0.5
		}
		return v
	}
	weights := form.Pack(c, random(c.Taps*c.In*c.Out))
	if call.X, err = t.put(form.Store(random(boards * 64 * call.In))); err != nil {
		return call, err
	}
	if call.W, err = t.put(weights); err != nil {
		return call, err
	}
	if call.Bias, err = t.put(kernels.Floats(random(call.Stride))); err != nil {
		return call, err
	}
	size := boards * 64 * call.Out * form.Size()
	if call.Y, err = t.buffer(size); err != nil {
		return call, err
	}
	call.Residual = call.X // not read
	t.y = call.Y
	t.result, err = t.context.Staging(size)
	return call, err
}

func (t *trial) buffer(bytes int) (compute.Buffer, error) {
	b, err := t.context.Buffer(bytes)
	if err == nil {
		t.buffers = append(t.buffers, b)
	}
	return b, err
}

func (t *trial) put(data []byte) (compute.Buffer, error) {
	b, err := t.buffer(len(data))
	if err != nil {
		return nil, err
	}
	staging, err := t.context.Staging(len(data))
	if err != nil {
		return nil, err
	}
	defer staging.Release()
	copy(staging.Bytes(), data)
	if err := t.queue.Write(b, staging, len(data)); err != nil {
		return nil, err
	}
	return b, t.wait()
}

// run runs a kernel and returns its results.
func (t *trial) run(l compute.Launch) ([]byte, error) {
	if err := t.queue.Launch(l); err != nil {
		return nil, err
	}
	if err := t.queue.Read(t.result, t.y, len(t.result.Bytes())); err != nil {
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
