package gpu

import (
	"errors"
	"fmt"
	"sync"

	"warren/internal/compute"
	"warren/internal/eval"
)

// Device is a device of a driver. Its kernels are built when they are first used, and then kept.
type Device struct {
	device compute.Device

	mu    sync.Mutex
	open  map[build]compute.Context
	users map[compute.Context]int
	lost  map[compute.Context]bool // closed when nobody uses them any more

	refused map[string]bool // kernels for all blocks that the device does not accept

	usage eval.Usage
}

// NewDevice returns a device that package opencl or cuda has found.
func NewDevice(d compute.Device) *Device {
	return &Device{
		device: d, open: map[build]compute.Context{}, users: map[compute.Context]int{}, lost: map[compute.Context]bool{},
		refused: map[string]bool{},
	}
}

// Info describes the device.
func (d *Device) Info() compute.Info { return d.device.Info() }

// Name returns the name of the device in settings, such as "opencl:0".
func (d *Device) Name() string {
	i := d.Info()
	return fmt.Sprintf("%s:%d", i.Driver, i.Number)
}

// context returns the device's context with the kernels of a build. The caller must release it.
func (d *Device) context(of build) (compute.Context, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, ok := d.open[of]
	if !ok {
		var err error
		if c, err = d.device.Open(of.program()); err != nil {
			return nil, err
		}
		d.open[of] = c
	}
	d.users[c]++
	return c, nil
}

// release gives back what context returned.
func (d *Device) release(c compute.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.users[c]--
	d.sweep()
}

// forget drops the contexts of a lost device, so that it is opened anew. A context is closed only
// once nobody uses it, because streams still write to its staging memory.
func (d *Device) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.open {
		d.lost[c] = true
	}
	clear(d.open)
	d.sweep()
}

// sweep closes lost contexts that nobody uses. The caller holds the lock.
func (d *Device) sweep() {
	for c := range d.lost {
		if d.users[c] == 0 {
			c.Close() // its error says once more that the device is lost
			delete(d.lost, c)
			delete(d.users, c)
		}
	}
}

// refuse notes that the device does not accept a kernel for all blocks.
func (d *Device) refuse(kernel string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused[kernel] = true
}

// refuses reports whether refuse was called for a kernel.
func (d *Device) refuses(kernel string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refused[kernel]
}

// explain adds to an error which device it comes from, and what is wrong with the device.
func (d *Device) explain(err error) error {
	name := fmt.Sprintf("%s (%s)", d.Name(), d.Info().Name)
	switch {
	case errors.Is(err, compute.ErrMemory):
		return fmt.Errorf("%s has not enough memory: %w", name, err)
	case errors.Is(err, compute.ErrLost):
		return fmt.Errorf("%s does not work any more: %w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
