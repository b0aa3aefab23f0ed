// Package cuda implements package internal/compute over the CUDA driver API.
//
// It needs only the driver (libcuda.so.1, nvcuda.dll): no toolkit and no runtime library.
// Kernels come as PTX, which the driver compiles for the device.
package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"warren/internal/compute"
	"warren/internal/compute/library"
)

// drivers are the names of the driver's library, by operating system. There is none for macOS.
var drivers = map[string][]string{
	"linux":   {"libcuda.so.1", "libcuda.so"},
	"windows": {"nvcuda.dll"},
}

// Devices lists the devices of the driver. The error says why there is none.
func Devices() ([]compute.Device, error) { return found() }

var found = sync.OnceValues(func() ([]compute.Device, error) {
	names := drivers[runtime.GOOS]
	if names == nil {
		return nil, fmt.Errorf("there is no CUDA driver for %s", runtime.GOOS)
	}
	lib, err := library.Open(names...)
	if err != nil {
		return nil, fmt.Errorf("no CUDA device: %w", err)
	}
	return devices(lib.Symbol)
})

// devices lists the devices of the driver whose functions symbol finds.
func devices(symbol func(name string) (uintptr, error)) ([]compute.Device, error) {
	a := new(api)
	if err := library.Bind(a, symbol); err != nil {
		return nil, fmt.Errorf("the CUDA driver is too old: %w", err)
	}
	a.graphs = bindGraphs(symbol)
	if err := a.check("cuInit", a.Init(0)); err != nil {
		return nil, err
	}
	var version, n int32
	a.DriverGetVersion(&version)
	if err := a.check("cuDeviceGetCount", a.DeviceGetCount(&n)); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("the CUDA driver finds no device")
	}
	var all []compute.Device
	for number := range n {
		d := &device{api: a}
		if err := a.check("cuDeviceGet", a.DeviceGet(&d.id, number)); err != nil {
			return nil, err
		}
		d.describe(int(number), int(version))
		all = append(all, d)
	}
	return all, nil
}

// device is a device of the driver.
type device struct {
	api  *api
	id   int32
	info compute.Info
}

func (d *device) Info() compute.Info { return d.info }

func (d *device) describe(number, version int) {
	name := make([]byte, 128)
	d.api.DeviceGetName(&name[0], int32(len(name)), d.id)
	name[len(name)-1] = 0
	var memory uintptr
	d.api.DeviceTotalMem(&memory, d.id)
	compute10 := 10*d.attribute(attributeMajor) + d.attribute(attributeMinor)
	d.info = compute.Info{
		Driver: "cuda", Number: number, Name: goString(&name[0]),
		Detail: fmt.Sprintf("compute capability %d.%d, driver of CUDA %d.%d", compute10/10, compute10%10, version/1000, version%1000/10),
		Memory: int64(memory), Units: d.attribute(attributeUnits), Compute: compute10,
	}
}

func (d *device) attribute(which int32) int {
	var v int32
	d.api.DeviceGetAttribute(&v, which, d.id)
	return int(v)
}

// goString copies a string of C.
func goString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// Open loads the program's PTX into the primary context of the device, which all libraries
// of a process share.
func (d *device) Open(p compute.Program) (compute.Context, error) {
	c := &context{api: d.api, device: d}
	if err := d.api.check("cuDevicePrimaryCtxRetain", d.api.PrimaryRetain(&c.id, d.id)); err != nil {
		return nil, err
	}
	for _, text := range append([]func() ([]byte, error){p.PTX}, p.More...) {
		if err := c.load(text); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}
