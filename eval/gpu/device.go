package gpu

import (
	"errors"
	"fmt"
	"sync"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
)

// Device is a device of a driver. Its kernels are built when they are first used, and stay.
type Device struct {
	device compute.Device

	mu    sync.Mutex
	open  map[kernels.Form]compute.Context
	users map[compute.Context]int
	lost  map[compute.Context]bool // closed when nobody uses them any more

	tuning sync.Mutex
	chosen map[string]map[string]string // the fastest kernels by their file, once it is read
}

// NewDevice returns a device that package opencl or cuda has found.
func NewDevice(d compute.Device) *Device {
	return &Device{
		device: d, open: map[kernels.Form]compute.Context{}, users: map[compute.Context]int{}, lost: map[compute.Context]bool{},
		chosen: map[string]map[string]string{},
	}
}

// Info describes the device.
func (d *Device) Info() compute.Info { return d.device.Info() }

// Name is what the device is called in settings, such as "opencl:0".
func (d *Device) Name() string {
	i := d.Info()
	return fmt.Sprintf("%s:%d", i.Driver, i.Number)
}

// context returns the device's context with the kernels of a form, until it is released.
func (d *Device) context(form kernels.Form) (compute.Context, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, ok := d.open[form]
	if !ok {
		var err error
		if c, err = d.device.Open(form.Program()); err != nil {
			return nil, err
		}
		d.open[form] = c
	}
	d.users[c]++
	return c, nil
}

// release says that a caller of context is done with it.
func (d *Device) release(c compute.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.users[c]--
	d.sweep()
}

// forget has a device that was lost opened anew, once nobody uses its contexts. With them goes
// their staging memory, to which streams still write.
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

// explain says which device an error is of, and what is wrong with it.
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
