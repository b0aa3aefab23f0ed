package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"warren/internal/console"
	"warren/internal/plural"
	"warren/net"
)

const description = `Compare Warren's network with ONNX Runtime and PyTorch on this machine.

Run it in the root of the repository. internal/command/bench/README.md explains how to install the other programs;
those that are not installed are skipped. Keep the machine idle while it runs, because other work widens
the spreads.

Examples:
  go run ./cmd/warren bench check                      # do all programs give the same results?
  go run ./cmd/warren bench infer                      # evaluations/s, batches of 1, 8 and 32, one and two threads
  go run ./cmd/warren bench train                      # training samples/s, batches of 64 and 256
  go run ./cmd/warren bench infer --network runs/quick/networks/gen-00040.safetensors --rounds 15
  go run ./cmd/warren bench infer --device cuda:0 --size 10x128    # a graphics processor, and PyTorch on the same one`

type flags struct {
	Command string `arg:"" enum:"check,infer,train" help:"check: compare the outputs and losses of the other programs with Warren's. infer: time evaluations. train: time training steps (forward, backward and Adam)."`

	Batch   []int         `placeholder:"N" help:"Batch sizes to time, divisors of 4096. Default: 1,8,32 for infer, 64,256 for train; with --device 256,1024,4096 and 256,1024."`
	Network string        `placeholder:"FILE" help:"The network, a .safetensors file. Default: an untrained one."`
	Size    string        `default:"6x64" placeholder:"BxC" help:"Blocks and channels of the untrained network. Default: 6x64."`
	Device  string        `placeholder:"NAME" help:"Time Warren on this device, such as cuda:0, opencl:0 or amx, and PyTorch. Default: the processor, in fp32."`
	Torch   string        `placeholder:"NAME" help:"With --device: the device of PyTorch. Default: that of --device if it is of CUDA, else cpu."`
	Threads []int         `placeholder:"N" help:"Numbers of threads. With --device infer opens a stream of batches in each, and train has one. Default: 1,2; with --device 1."`
	Rounds  int           `default:"7" placeholder:"N" help:"For infer and train: number of turns of each program. Default: 7."`
	Time    time.Duration `default:"700ms" placeholder:"D" help:"For infer and train: length of a turn. Default: 700ms."`
	Peers   []string      `default:"onnxruntime,pytorch" enum:"onnxruntime,pytorch" placeholder:"NAME" help:"The programs to compare with. Default: onnxruntime,pytorch."`
	Python  string        `default:"python3" placeholder:"FILE" help:"The Python program that has PyTorch. Default: python3."`
}

// Main runs the command.
func Main(c console.Command) {
	var f flags
	c.Parse(&f, description)
	c.Run(f.run)
}

func (f *flags) run(ctx context.Context, out io.Writer) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	c, err := f.size()
	if err != nil {
		return err
	}
	m, err := newMaterial(f.Network, c)
	if err != nil {
		return err
	}
	defer m.remove()
	peers, err := f.start(ctx, m)
	if err != nil {
		return err
	}
	defer func() {
		for _, p := range peers {
			p.close()
		}
	}()
	onCPU := &warren{material: m}
	var w engine = onCPU
	if f.Device != "" {
		w = &accelerated{material: m, name: f.Device}
	}
	defer func() {
		if err = errors.Join(err, w.close()); err != nil && ctx.Err() != nil {
			err = ctx.Err() // Ctrl-C ends the other programs, too
		}
	}()

	fmt.Fprintf(out, "%v network, %d parameters, hash %.16s; %s, %s/%s, %s\n",
		m.network.Config, m.network.NumParams(), m.network.Hash(), runtime.Version(), runtime.GOOS, runtime.GOARCH, plural.Of(runtime.NumCPU(), "processor"))
	if f.Device != "" {
		fmt.Fprintf(out, "on %s\n", f.Device)
	}
	for _, p := range peers {
		fmt.Fprintf(out, "against %s\n", p.name)
	}
	if load := load(); load > 0.5 && f.Command != checking {
		fmt.Fprintf(out, "WARNING: the machine is busy (load %.1f), so these figures are unreliable, especially those for several threads.\n", load)
	}
	fmt.Fprintln(out)
	if f.Command == checking {
		return compare(ctx, out, onCPU, peers)
	}
	return f.table(ctx, out, w, peers)
}

// check returns an error that names the first flag that is out of range.
func (f *flags) check() error {
	for _, n := range f.Batch {
		// The others run the positions round and round, and count batches.
		if n < 1 || positions%n != 0 {
			return fmt.Errorf("--batch is %d, must divide %d, the number of positions", n, positions)
		}
	}
	for _, n := range f.Threads {
		if n < 1 || n > 256 {
			return fmt.Errorf("--threads is %d, must be from 1 to 256", n)
		}
	}
	if f.Device != "" && f.Command == checking {
		return errors.New("check has no --device: a device is compared with the processor whenever a network is put on it")
	}
	if (len(f.Batch) > 0 || len(f.Threads) > 0) && f.Command == checking {
		return errors.New("check has no --batch and no --threads: it compares batches of 1, 7 and 32")
	}
	if f.Torch != "" && f.Device == "" {
		return fmt.Errorf("--torch %s: it is for --device; without that PyTorch computes on the processor", f.Torch)
	}
	if f.Rounds < 1 || f.Rounds > 1000 {
		return fmt.Errorf("--rounds is %d, must be from 1 to 1000", f.Rounds)
	}
	if f.Time < time.Millisecond || f.Time > time.Hour {
		return fmt.Errorf("--time is %v, must be from 1ms to 1h", f.Time)
	}
	return nil
}

// size returns the architecture of the untrained network.
func (f *flags) size() (net.Config, error) {
	c := net.DefaultConfig()
	c.Auxiliary = ""
	if _, err := fmt.Sscanf(f.Size, "%dx%d", &c.Blocks, &c.Channels); err != nil || f.Size != fmt.Sprintf("%dx%d", c.Blocks, c.Channels) {
		return c, fmt.Errorf("--size is %q, must be blocks x channels, as in 10x128", f.Size)
	}
	c.ValueHidden = c.Channels
	return c, nil
}

// torch returns the device that PyTorch computes on. It is "" for the processor, with everything
// that the README says about it.
func (f *flags) torch() string {
	switch {
	case f.Device == "":
		return ""
	case f.Torch == "" && strings.HasPrefix(f.Device, "cuda"):
		name, _, _ := strings.Cut(f.Device, "/") // the precision is Warren's
		return name
	case f.Torch == "":
		return "cpu"
	}
	return f.Torch
}

// start starts the peers that support the command. It skips those that cannot be started with
// a message, and returns an error if none can be started.
func (f *flags) start(ctx context.Context, m *material) ([]*peer, error) {
	var peers []*peer
	for _, name := range f.Peers {
		var p *peer
		var err error
		switch {
		case name == "onnxruntime" && (f.Command == training || f.Device != ""):
			continue // it only evaluates, on the processor
		case name == "onnxruntime":
			p, err = startPeer(ctx, "node", "internal/command/bench/onnxruntime.js", m.dir)
		default:
			p, err = startPeer(ctx, f.Python, "internal/command/bench/pytorch.py", m.dir, f.torch())
			if err == nil {
				p.trains, p.device = true, f.Device != ""
			}
		}
		if err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s is skipped (internal/command/bench/README.md explains how to install it): %v\n", name, err)
			continue
		}
		peers = append(peers, p)
	}
	if len(peers) == 0 {
		return nil, fmt.Errorf("there is nothing to compare with: none of %s can be run", strings.Join(f.Peers, ", "))
	}
	return peers, nil
}

// load returns the load average of the last minute, or 0 if the system is not Linux.
func load() (load float64) {
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Sscan(string(text), &load)
	}
	return load
}

// table times every combination of threads and batch, and prints a row for each.
func (f *flags) table(ctx context.Context, out io.Writer, w engine, peers []*peer) error {
	unit, batches, threads := "evaluations/s", []int{1, 8, 32}, []int{1, 2}
	switch {
	case f.Device != "" && f.Command == training:
		unit, batches, threads = "training samples/s", []int{256, 1024}, []int{1}
	case f.Device != "":
		batches, threads = []int{256, 1024, 4096}, []int{1}
	case f.Command == training:
		unit, batches = "training samples/s", []int{64, 256}
	}
	if len(f.Batch) > 0 {
		batches = f.Batch
	}
	if len(f.Threads) > 0 && (f.Device == "" || f.Command == inference) {
		threads = f.Threads
	}
	fmt.Fprintf(out, "%s: the median of %d turns of %v (lowest to highest); ratios of the medians (of single rounds, lowest to highest)\n\n", unit, f.Rounds, f.Time)
	fmt.Fprintln(out, heading(peers))
	var notes []string
	for _, threads := range threads {
		for _, batch := range batches {
			j := job{op: f.Command, batch: batch, threads: threads, time: f.Time}
			row, err := interleave(ctx, j, w, peers, f.Rounds)
			if err != nil {
				return err
			}
			fmt.Fprintln(out, row)
			if onCPU, ok := w.(*warren); ok && f.Command == training {
				notes = append(notes, onCPU.memory(j))
			}
		}
	}
	if len(notes) > 0 {
		fmt.Fprintf(out, "\nWarren's memory:\n%s\n", strings.Join(notes, "\n"))
	}
	return nil
}
