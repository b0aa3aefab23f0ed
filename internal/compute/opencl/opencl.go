// Package opencl implements package internal/compute over OpenCL 1.2.
//
// It speaks to the ICD loader (libOpenCL.so.1, OpenCL.dll, the framework of macOS). Containers
// often have a driver but no loader. The package then opens the driver's library itself. Like a
// loader, it takes the functions from a table to which every object of the driver has a pointer
// (extension cl_khr_icd).
package opencl

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"warren/internal/compute"
	"warren/internal/compute/library"
)

// loaders and drivers are the names of libraries, by operating system.
var loaders = map[string][]string{
	"linux":   {"libOpenCL.so.1", "libOpenCL.so"},
	"darwin":  {"/System/Library/Frameworks/OpenCL.framework/OpenCL"},
	"windows": {"OpenCL.dll"},
}

var drivers = map[string][]string{
	"linux": {"libnvidia-opencl.so.1", "libamdocl64.so", "libigdrcl.so", "libpocl.so.2"},
}

// Devices lists the devices of all platforms, in the platforms' order. The error says why
// there is none.
func Devices() ([]compute.Device, error) { return found() }

var found = sync.OnceValues(func() ([]compute.Device, error) {
	devices, err := loaded(loaders[runtime.GOOS])
	if len(devices) > 0 {
		return devices, nil
	}
	for _, name := range drivers[runtime.GOOS] {
		more, failed := direct(name)
		if failed == nil {
			devices = append(devices, more...)
		}
	}
	if len(devices) > 0 {
		return devices, nil
	}
	if err == nil {
		err = fmt.Errorf("no platform has a device; is a driver installed?")
	}
	return nil, fmt.Errorf("no OpenCL device: %w", err)
})

// loaded lists the devices that a loader knows.
func loaded(names []string) ([]compute.Device, error) {
	lib, err := library.Open(names...)
	if err != nil {
		return nil, err
	}
	a := new(api)
	if err := library.Bind(a, lib.Symbol); err != nil {
		return nil, err
	}
	return a.devices(a.GetPlatformIDs)
}

// direct lists the devices of a driver without a loader.
func direct(name string) ([]compute.Device, error) {
	lib, err := library.Open(name)
	if err != nil {
		return nil, err
	}
	var icd struct {
		Address func(name string) uintptr `c:"clGetExtensionFunctionAddress"`
	}
	if err := library.Bind(&icd, lib.Symbol); err != nil {
		return nil, err
	}
	var entry struct {
		GetPlatformIDs func(n uint32, platforms *unsafe.Pointer, count *uint32) int32 `c:"clIcdGetPlatformIDsKHR"`
	}
	err = library.Bind(&entry, func(name string) (uintptr, error) {
		address := icd.Address(name)
		if address == 0 {
			return 0, fmt.Errorf("%s has no function %s", lib.Name, name)
		}
		return address, nil
	})
	if err != nil {
		return nil, err
	}
	var platform unsafe.Pointer
	if err := check("clIcdGetPlatformIDsKHR", entry.GetPlatformIDs(1, &platform, nil)); err != nil {
		return nil, err
	}
	table := *(**[64]uintptr)(platform) // the first word of an object
	a := new(api)
	if err := library.Bind(a, func(name string) (uintptr, error) { return table[places[name]], nil }); err != nil {
		return nil, err
	}
	return a.devices(func(n uint32, platforms *uintptr, count *uint32) int32 {
		if count != nil {
			*count = 1
		}
		if n > 0 {
			*platforms = uintptr(platform)
		}
		return 0
	})
}

// devices lists the devices of the platforms.
func (a *api) devices(platforms func(uint32, *uintptr, *uint32) int32) ([]compute.Device, error) {
	var n uint32
	if err := check("clGetPlatformIDs", platforms(0, nil, &n)); err != nil {
		return nil, err
	}
	var found []*device
	if n == 0 {
		return nil, nil
	}
	ids := make([]uintptr, n)
	if err := check("clGetPlatformIDs", platforms(n, &ids[0], nil)); err != nil {
		return nil, err
	}
	for _, p := range ids {
		var n uint32
		if a.GetDeviceIDs(p, allDevices, 0, nil, &n) != 0 || n == 0 {
			continue // a platform without devices
		}
		devices := make([]uintptr, n)
		if a.GetDeviceIDs(p, allDevices, n, &devices[0], nil) != 0 {
			continue
		}
		version := text(func(size uintptr, v unsafe.Pointer, length *uintptr) int32 {
			return a.GetPlatformInfo(p, platformVersion, size, v, length)
		})
		for _, id := range devices {
			d := &device{api: a, id: id}
			d.info = compute.Info{
				Driver: "opencl",
				Name:   d.text(deviceName),
				Detail: version + ", driver " + d.text(driverVersion),
				Memory: int64(d.number(deviceMemory)),
				Units:  int(d.number(deviceUnits)),
				Host:   d.number(deviceType)&processor != 0,
			}
			found = append(found, d)
		}
	}
	// The name opencl:0 should mean a graphics processor, if there is one.
	slices.SortStableFunc(found, func(a, b *device) int {
		switch {
		case a.info.Host == b.info.Host:
			return 0
		case b.info.Host:
			return -1
		}
		return 1
	})
	var all []compute.Device
	for i, d := range found {
		d.info.Number = i
		all = append(all, d)
	}
	return all, nil
}

// text calls a function of OpenCL that writes a string.
func text(get func(size uintptr, v unsafe.Pointer, length *uintptr) int32) string {
	var length uintptr
	if get(0, nil, &length) != 0 || length == 0 {
		return ""
	}
	b := make([]byte, length)
	if get(length, unsafe.Pointer(&b[0]), nil) != 0 {
		return ""
	}
	return string(bytes.Trim(b, "\x00 \n"))
}

// device is a device of a platform.
type device struct {
	api  *api
	id   uintptr
	info compute.Info
}

func (d *device) Info() compute.Info { return d.info }

func (d *device) text(what uint32) string {
	return text(func(size uintptr, v unsafe.Pointer, length *uintptr) int32 {
		return d.api.GetDeviceInfo(d.id, what, size, v, length)
	})
}

// number asks for a number of 32 or 64 bits.
func (d *device) number(what uint32) uint64 {
	var v uint64
	d.api.GetDeviceInfo(d.id, what, unsafe.Sizeof(v), unsafe.Pointer(&v), nil)
	return v
}

// Open builds the program's source.
func (d *device) Open(p compute.Program) (compute.Context, error) {
	a := d.api
	var code int32
	id := a.CreateContext(0, 1, &d.id, 0, 0, &code)
	if err := check("clCreateContext", code); err != nil {
		return nil, fmt.Errorf("opencl:%d (%s): %w", d.info.Number, d.info.Name, err)
	}
	c := &context{api: a, device: d, id: id}
	if err := c.build(p); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}
