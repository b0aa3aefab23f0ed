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

	mu   sync.Mutex
	open map[kernels.Form]compute.Context

	tuning sync.Mutex
	chosen map[string]map[string]string // the fastest kernels by their file, once it is read
}

// NewDevice returns a device that package opencl or cuda has found.
func NewDevice(d compute.Device) *Device {
	return &Device{device: d, open: map[kernels.Form]compute.Context{}, chosen: map[string]map[string]string{}}
}

// Info describes the device.
func (d *Device) Info() compute.Info { return d.device.Info() }

// Name is what the device is called in settings, such as "opencl:0".
func (d *Device) Name() string {
	i := d.Info()
	return fmt.Sprintf("%s:%d", i.Driver, i.Number)
}

// context returns the device's context with the kernels of a form.
func (d *Device) context(form kernels.Form) (compute.Context, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c, ok := d.open[form]; ok {
		return c, nil
	}
	c, err := d.device.Open(form.Program())
	if err != nil {
		return nil, d.explain(err)
	}
	d.open[form] = c
	return c, nil
}

// forget drops the contexts of a device that was lost, so that it is opened anew.
func (d *Device) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.open)
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
