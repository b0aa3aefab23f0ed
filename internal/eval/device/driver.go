package device

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warren/internal/compute"
	"warren/internal/eval"
	"warren/net"
)

// driver is a driver of graphics processors.
type driver struct {
	name string
	list func() ([]processor, error)
}

// processor is a device of a driver.
type processor interface {
	// precisions names the precisions in which it plays, the default first.
	precisions() []string
	// learning names those in which it learns.
	learning() []string
	open(n *net.Network, precision string) (eval.Backend, error)
	compute() compute.Device
	String() string
}

// Processor returns the graphics processor that a name such as "opencl:0" means, and the precision in
// which it learns: bf16 where there are tensor cores for it unless the name says fp32. The error says why it
// cannot be used.
func Processor(name string) (p compute.Device, precision string, err error) {
	if all := members(name); len(all) > 1 {
		return nil, "", fmt.Errorf("the devices %q: learning is on one device, such as %s", name, all[0])
	}
	d, ok := named(name)
	if !ok {
		return nil, "", &unknownError{fmt.Sprintf("%q is not a graphics processor (there are: %s)", name, cmp.Or(strings.Join(Processors(), ", "), "none"))}
	}
	found, precision, err := d.find(name, processor.learning)
	if err != nil {
		return nil, "", err
	}
	return found.compute(), precision, nil
}

// Graphics returns a line for every graphics processor. For a driver without one, the line says why
// there is none.
func Graphics() []string {
	var lines []string
	for _, d := range drivers {
		all, err := d.list()
		if err != nil {
			lines = append(lines, fmt.Sprintf("%s: %v", d.name, err))
		}
		for i, p := range all {
			lines = append(lines, fmt.Sprintf("%s:%d: %v", d.name, i, p))
		}
	}
	return lines
}

// Processors returns the names of the graphics processors, such as "opencl:0".
func Processors() []string {
	var all []string
	for _, d := range drivers {
		devices, _ := d.list()
		for i := range devices {
			all = append(all, fmt.Sprintf("%s:%d", d.name, i))
		}
	}
	return all
}

// names returns the names of the driver's devices, in each precision.
func (d driver) names() []string {
	var all []string
	devices, _ := d.list()
	for i, p := range devices {
		name := fmt.Sprintf("%s:%d", d.name, i)
		all = append(all, name)
		for _, precision := range p.precisions()[1:] {
			all = append(all, name+"/"+precision)
		}
	}
	return all
}

// find returns the processor and the precision that a name means: the driver's name, the
// number of the device (0 if there is none), and the precision, one of those that of returns.
func (d driver) find(name string, of func(processor) []string) (processor, string, error) {
	number, precision, chosen := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(name, d.name), ":"), "/")
	i := 0
	if number != "" {
		var err error
		if i, err = strconv.Atoi(number); err != nil || i < 0 {
			return nil, "", fmt.Errorf("the device %q: %q is not the number of a device; write %s:0", name, number, d.name)
		}
	}
	all, err := d.list()
	if err != nil {
		return nil, "", fmt.Errorf("the device %q cannot be used: %w; warren doctor says what this machine has", name, err)
	}
	if i >= len(all) {
		return nil, "", fmt.Errorf("there is no device %q: %s has %d, from %s:0 to %s:%d", name, d.name, len(all), d.name, d.name, len(all)-1)
	}
	precisions := of(all[i])
	if !chosen {
		precision = precisions[0]
	}
	if !slices.Contains(precisions, precision) {
		return nil, "", fmt.Errorf("the device %q: there is no precision %q; there are %s", name, precision, strings.Join(precisions, " and "))
	}
	return all[i], precision, nil
}

// named returns the driver that a device's name begins with.
func named(name string) (driver, bool) {
	for _, d := range drivers {
		if rest, ok := strings.CutPrefix(name, d.name); ok && (rest == "" || rest[0] == ':' || rest[0] == '/') {
			return d, true
		}
	}
	return driver{}, false
}
