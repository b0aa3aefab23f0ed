// Package device has the list of devices that networks are evaluated on, and the
// one function by which every command opens a network.
package device

import (
	"fmt"
	"strconv"
	"strings"

	"warren/eval"
	"warren/eval/cpu"
	"warren/internal/nearest"
	"warren/net"
)

// Auto names the device that is used if no other is named: the first of the list.
const Auto = "auto"

// devices are the back ends by the names of their devices. A new back end is a
// line here.
var devices = []struct {
	name string
	open func(*net.Network) (eval.Backend, error)
}{
	{"cpu", func(n *net.Network) (eval.Backend, error) { return cpu.New(n) }},
	{"amx", func(n *net.Network) (eval.Backend, error) { return cpu.NewAMX(n) }},
}

// Names returns the names that Open takes.
func Names() []string {
	names := []string{Auto}
	for _, d := range devices {
		names = append(names, d.name)
	}
	return names
}

// Open makes the back end of a network on the device of that name. Later
// changes to n.Params have no effect. The error names what is wrong with the
// device, or the nearest name if there is no such device.
func Open(n *net.Network, name string) (eval.Backend, error) {
	if name == Auto || name == "" {
		name = devices[0].name
	}
	for _, d := range devices {
		if d.name == name {
			return d.open(n)
		}
	}
	hint := ""
	if near := nearest.Of(name, Names()); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, fmt.Errorf("there is no device %q%s (devices: %s)", name, hint, strings.Join(Names(), ", "))
}

// Fastest returns the name of the device that a short measurement finds fastest
// for networks like c. The first call takes less than a tenth of a second. Auto
// does not ask it: results are the same bits within a path only, so a run names
// the faster device to get it.
func Fastest(c net.Config) string {
	const worthIt = 1.1 // times as fast
	if times, err := cpu.Speedup(c); err == nil && times > worthIt {
		return "amx"
	}
	return "cpu"
}

// Check reports a name that Open does not take, or a device that cannot be
// used, before there is a network.
func Check(name string) error {
	smallest := net.Config{Blocks: 1, Channels: 8, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 1}
	n, err := net.New(smallest, 0)
	if err == nil {
		_, err = Open(n, name)
	}
	return err
}

// Load opens the network in a checkpoint on the device of that name. A file
// that is damaged or no network's gives an error of one line that names it.
func Load(path, name string) (*eval.Network, error) {
	n, meta, err := net.Load(path)
	if err != nil {
		return nil, err
	}
	origin, err := originOf(path, meta)
	if err != nil {
		return nil, err
	}
	return Play(n, origin, name)
}

// Play opens a network that is in memory already.
func Play(n *net.Network, origin eval.Origin, name string) (*eval.Network, error) {
	b, err := Open(n, name)
	if err != nil {
		return nil, err
	}
	return &eval.Network{Backend: b, Hash: n.Hash(), Origin: origin}, nil
}

// originOf reads the provenance that package train writes.
func originOf(path string, meta map[string]string) (eval.Origin, error) {
	o := eval.Origin{Path: path, Run: meta["run"]}
	for _, c := range []struct {
		key string
		set func(float64)
	}{
		{"generation", func(v float64) { o.Generation = int(v) }},
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
			return o, fmt.Errorf("reading %s: its metadata give %s as %.40q, which is not a number of 0 or more", path, c.key, text)
		}
		c.set(v)
	}
	return o, nil
}
