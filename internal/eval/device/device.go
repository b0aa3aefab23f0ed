// Package device has the list of devices that evaluate networks, and the function
// with which every command opens a network.
package device

import (
	"fmt"
	"strconv"
	"strings"

	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/internal/kernel"
	"warren/internal/kernel/bf16"
	"warren/internal/nearest"
	"warren/net"
	"warren/net/bundled"
)

// Auto is the name of the device that [Fastest] returns for a network.
const Auto = "auto"

// devices lists the devices and their back ends. A new back end adds a line here.
var devices = []struct {
	name string
	open func(*net.Network) (eval.Backend, error)
}{
	{"cpu", func(n *net.Network) (eval.Backend, error) { return cpu.New(n) }},
	{"amx", func(n *net.Network) (eval.Backend, error) { return cpu.NewAMX(n) }},
	{"int16", func(n *net.Network) (eval.Backend, error) { return cpu.NewInt16(n) }},
	{int16OnTiles, func(n *net.Network) (eval.Backend, error) { return cpu.NewInt16OnTiles(n) }},
}

// int16OnTiles is the name of the back end that has the results of "int16" by the tile unit. "amx" is
// faster on every such processor, so Fastest does not return it. Names has it only where it can be used.
const int16OnTiles = "int16/amx"

// Names returns the names that Open accepts. It looks for graphics processors.
func Names() []string {
	names := []string{Auto}
	for _, d := range devices {
		if _, err := bf16.AMX(); d.name != int16OnTiles || err == nil {
			names = append(names, d.name)
		}
	}
	for _, d := range drivers {
		names = append(names, d.names()...)
	}
	return names
}

// open returns the back end of one device.
func open(n *net.Network, name string) (eval.Backend, error) {
	if name == Auto {
		name = Fastest(n.Config)
	}
	for _, d := range devices {
		if d.name == name {
			return d.open(n)
		}
	}
	if d, ok := named(name); ok {
		p, precision, err := d.find(name, processor.precisions)
		if err != nil {
			return nil, err
		}
		return p.open(n, precision)
	}
	return nil, &unknownError{fmt.Sprintf("there is no device %q%s (devices: %s)", name, nearest.Hint(name, Names()), strings.Join(Names(), ", "))}
}

// unknownError is the error for a name that is not that of a device.
type unknownError struct{ message string }

func (e *unknownError) Error() string { return e.message }

// Fastest returns the name of the device on the processor that is fastest for networks like c:
// "amx" where the processor has it, "int16" with AVX-512 or AVX2, and "cpu" elsewhere. It is
// "cpu" too if the network is narrower than all that were measured (docs/reference/benchmarks.md), or if the
// environment variable WARREN_KERNEL names kernels. A processor always gets the same answer.
//
// Results are bit-identical only within a path, so a run records its choice.
func Fastest(c net.Config) string {
	const narrowest = 32 // channels
	if kernel.Forced() != "" || c.Channels < narrowest {
		return "cpu"
	}
	if _, err := bf16.AMX(); err == nil {
		return "amx"
	}
	if strings.HasPrefix(kernel.Best().Name, "avx") {
		return "int16"
	}
	return "cpu"
}

// Load opens the network in a file on a device, as Open does: the bundled network if path is
// bundled.Name, and the newest one of a run if path is its directory. If the file is damaged or is not a network, the error is one line with its path.
func Load(path, names string) (*eval.Network, error) {
	n, origin, err := Read(path)
	if err != nil {
		return nil, err
	}
	return Play(n, origin, names)
}

// Read reads the network that path names, as Load does, and where it comes from.
func Read(path string) (n *net.Network, origin eval.Origin, err error) {
	if path, err = bundled.Find(path); err != nil {
		return nil, origin, err
	}
	n, meta, err := bundled.Checkpoint(path)
	if err == nil {
		origin, err = Origin(path, meta)
	}
	if path == bundled.Name {
		origin.Run = "" // it is called by its name alone
	}
	return n, origin, err
}

// Play opens a network that is already in memory on a device, as Open does.
func Play(n *net.Network, origin eval.Origin, names string) (*eval.Network, error) {
	return play(n, origin, names, warn)
}

// play is Play with a report for the devices of pools.
func play(n *net.Network, origin eval.Origin, names string, lost report) (*eval.Network, error) {
	b, err := first(n, names, lost)
	if err != nil {
		return nil, err
	}
	return played(n, origin, b, lost), nil
}

func played(n *net.Network, origin eval.Origin, b eval.Backend, lost report) *eval.Network {
	return &eval.Network{
		Backend: b, Hash: n.Hash(), Origin: origin,
		Reopen: func(names string) (*eval.Network, error) { return play(n, origin, names, lost) },
		Reproduce: func(path string) (*eval.Network, error) {
			b, err := cpu.NewPath(n, path)
			if err != nil {
				return nil, err
			}
			return played(n, origin, b, lost), nil
		},
	}
}

// Origin reads the provenance that package train writes into a checkpoint's metadata. Path is
// that of the checkpoint.
func Origin(path string, meta map[string]string) (eval.Origin, error) {
	o := eval.Origin{Path: path, Run: meta["run"]}
	for _, c := range []struct {
		key string
		set func(float64)
	}{
		{"generation", func(v float64) { o.Generation = int(v) }},
		{"stage", func(v float64) { o.Stage = int(v) }},
		{"steps", func(v float64) { o.Steps = int64(v) }},
		{"samples", func(v float64) { o.Samples = int64(v) }},
		{"games", func(v float64) { o.Games = int(v) }},
		{"seconds", func(v float64) { o.Seconds = v }},
	} {
		text, ok := meta[c.key]
		if !ok || text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0) || v > 1<<53 {
			return o, fmt.Errorf("reading %s: its metadata gives %s as %.40q, which is not a number of 0 or more", path, c.key, text)
		}
		c.set(v)
	}
	return o, nil
}
