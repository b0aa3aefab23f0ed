// Package device has the list of devices that evaluate networks, and the function
// with which every command opens a network.
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

// Auto is the name of the default device, the first of the list.
const Auto = "auto"

// devices lists the devices and their back ends. A new back end adds a line here.
var devices = []struct {
	name string
	open func(*net.Network) (eval.Backend, error)
}{
	{"cpu", func(n *net.Network) (eval.Backend, error) { return cpu.New(n) }},
	{"amx", func(n *net.Network) (eval.Backend, error) { return cpu.NewAMX(n) }},
}

// Names returns the names that Open accepts. It looks for graphics processors.
func Names() []string {
	names := []string{Auto}
	for _, d := range devices {
		names = append(names, d.name)
	}
	for _, d := range drivers {
		names = append(names, d.names()...)
	}
	return names
}

// Open returns a back end for a network on the named device. Later changes to
// n.Params have no effect. The error says why the device cannot be used, or
// suggests the nearest name if there is no such device.
func Open(n *net.Network, name string) (eval.Backend, error) {
	if name == Auto || name == "" {
		name = devices[0].name
	}
	for _, d := range devices {
		if d.name == name {
			return d.open(n)
		}
	}
	if d, ok := named(name); ok {
		p, precision, err := d.find(name)
		if err != nil {
			return nil, err
		}
		return p.open(n, precision)
	}
	hint := ""
	if near := nearest.Of(name, Names()); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, fmt.Errorf("there is no device %q%s (devices: %s)", name, hint, strings.Join(Names(), ", "))
}

// Fastest returns the name of the device that a short measurement finds fastest
// for networks like c. The first call takes less than a tenth of a second. Auto
// does not use it: results are bit-identical only within a path, so a faster
// device must be chosen by name.
func Fastest(c net.Config) string {
	const worthIt = 1.1 // least speedup
	if times, err := cpu.Speedup(c); err == nil && times > worthIt {
		return "amx"
	}
	return "cpu"
}

// Check reports whether the named device can be used, before there is a network.
// Its errors are those of Open.
func Check(name string) error {
	smallest := net.Config{Blocks: 1, Channels: 8, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 1}
	n, err := net.New(smallest, 0)
	if err == nil {
		_, err = Open(n, name)
	}
	return err
}

// Load opens the network in a file on the named device. If the file is damaged or
// is not a network, the error is one line with its path.
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

// Play opens a network that is already in memory on the named device.
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
			return o, fmt.Errorf("reading %s: its metadata gives %s as %.40q, which is not a number of 0 or more", path, c.key, text)
		}
		c.set(v)
	}
	return o, nil
}
