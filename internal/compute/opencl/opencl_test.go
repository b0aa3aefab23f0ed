package opencl

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"warren/internal/compute"
)

const program = `
__kernel void add(__global const int *x, __global int *y, int more) {
  const int k = get_global_id(0) + 64 * get_global_id(1);
  y[k] = x[k] + more;
}`

// TestDirect opens a driver without the loader, and runs a kernel.
func TestDirect(t *testing.T) {
	var all []compute.Device
	for _, name := range drivers[runtime.GOOS] {
		devices, err := direct(name)
		t.Logf("%s: %d devices, %v", name, len(devices), err)
		all = append(all, devices...)
	}
	if len(all) == 0 {
		t.Skip("there is no driver that can be opened directly (Debian: apt-get install pocl-opencl-icd)")
	}
	for _, d := range all {
		runs(t, d)
	}
}

func TestLoaded(t *testing.T) {
	all, err := Devices()
	if err != nil {
		t.Skipf("not tested here: %v (Debian: apt-get install pocl-opencl-icd)", err)
	}
	for i, d := range all {
		if info := d.Info(); info.Number != i || info.Name == "" || info.Memory <= 0 || info.Units <= 0 || info.Driver != "opencl" {
			t.Errorf("device %d is %+v", i, info)
		}
		runs(t, d)
	}
}

// TestUnavailable has a platform of two devices that are not available. They keep their numbers.
func TestUnavailable(t *testing.T) {
	a := &api{
		GetPlatformInfo: func(uintptr, uint32, uintptr, unsafe.Pointer, *uintptr) int32 { return 0 },
		GetDeviceIDs: func(_ uintptr, _ uint64, n uint32, devices *uintptr, count *uint32) int32 {
			if count != nil {
				*count = 2
			}
			copy(unsafe.Slice(devices, n), []uintptr{0, 1})
			return 0
		},
		GetDeviceInfo: func(uintptr, uint32, uintptr, unsafe.Pointer, *uintptr) int32 { return 0 },
		CreateContext: func(_ uintptr, _ uint32, _ *uintptr, _, _ uintptr, code *int32) uintptr {
			*code = -2
			return 0
		},
	}
	all, err := a.devices(func(_ uint32, _ *uintptr, count *uint32) int32 {
		if count != nil {
			*count = 1
		}
		return 0
	})
	if err != nil || len(all) != 2 {
		t.Fatalf("the devices are %v: %v", all, err)
	}
	if _, err := all[1].Open(compute.Program{}); err == nil || err.Error() != "opencl:1 (): OpenCL's clCreateContext failed: device not available" {
		t.Error(err)
	}
}

// TestFlushFails: after an error there is no mark, with an event or without.
func TestFlushFails(t *testing.T) {
	a := &api{Flush: func(uintptr) int32 { return -36 }}
	for _, last := range []uintptr{0, 1} {
		q := &queue{api: a, last: last}
		if m, err := q.Flush(); m != nil || err == nil || q.last != last {
			t.Errorf("got %v, %v, and the event %d instead of %d", m, err, q.last, last)
		}
	}
}

func runs(t *testing.T, d compute.Device) {
	c, err := d.Open(compute.Program{Source: program})
	if err != nil {
		t.Fatal(err)
	}
	const bytes = 4 * 64 * 3
	x, err1 := c.Buffer(bytes)
	y, err2 := c.Buffer(bytes)
	from, err3 := c.Staging(bytes)
	to, err4 := c.Staging(bytes)
	q, err5 := c.Queue()
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	k, err := c.Kernel("add", 32, x, y, int32(-2))
	if err != nil {
		t.Fatal(err)
	}
	for i := range from.Bytes() {
		from.Bytes()[i] = byte(7 + i%4) // low bytes first
	}
	mark := func() {
		m, err := q.Flush()
		if err == nil {
			err = m.Wait()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Write(x, from, bytes); err != nil {
		t.Fatal(err)
	}
	mark()
	if err := errors.Join(q.Launch(compute.Launch{Kernel: k, Groups: [2]int{2, 3}}), q.Read(to, y, bytes)); err != nil {
		t.Fatal(err)
	}
	mark()
	for i, v := range to.Bytes() {
		want := byte(7 + i%4)
		if i%4 == 0 {
			want -= 2
		}
		if v != want {
			t.Fatalf("%s: byte %d is %d, want %d", d.Info().Name, i, v, want)
		}
	}
	if _, err := c.Kernel("none", 1); err == nil || !strings.Contains(err.Error(), "the kernel none: OpenCL's clCreateKernel failed: invalid kernel name") {
		t.Errorf("a kernel that is not there: %v", err)
	}
	if _, err := c.Kernel("add", 1, "x"); err == nil || !strings.Contains(err.Error(), "argument 0: a string") {
		t.Errorf("an argument that is none: %v", err)
	}
	if _, err := c.Buffer(0); err == nil || !strings.Contains(err.Error(), "invalid buffer size") {
		t.Errorf("no memory: %v", err)
	}
	k.Release()
	q.Release()
	for _, r := range []interface{ Release() }{x, y, from, to} {
		r.Release()
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.Open(compute.Program{Source: "no program"}); err == nil || !strings.Contains(err.Error(), "building the kernels: OpenCL's clBuildProgram failed") {
		t.Errorf("a program that is none: %v", err)
	}
}

func TestFailures(t *testing.T) {
	for code, want := range map[int32]error{-4: compute.ErrMemory, -5: compute.ErrLost, -14: compute.ErrLost, -30: nil, -777: nil} {
		err := check("clCall", code)
		if want != nil && !errors.Is(err, want) || want == nil && (errors.Is(err, compute.ErrLost) || errors.Is(err, compute.ErrMemory)) {
			t.Errorf("code %d is %v", code, err)
		}
	}
	if err := check("clCall", -777); err.Error() != "OpenCL's clCall failed with code -777" || check("clCall", 0) != nil {
		t.Error(err)
	}
	if got := text(func(size uintptr, v unsafe.Pointer, length *uintptr) int32 { return -30 }); got != "" {
		t.Errorf("got %q", got)
	}
}
