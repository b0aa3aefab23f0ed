package ptx_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/ptx"
)

// program has a kernel that adds n to each word of x, and one that reads behind the end of x.
var program = compute.Program{PTX: func() ([]byte, error) {
	return []byte(`.version 8.0
.target sm_90a
.address_size 64
.visible .entry plus(.param .u64 x, .param .u32 n) {
	.reg .b64 %x; .reg .b32 %t, %n, %v;
	ld.param.u64 %x, [x]; ld.param.u32 %n, [n];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %x, %t, 4, %x;
	ld.global.b32 %v, [%x];
	add.u32 %v, %v, %n;
	st.global.b32 [%x], %v;
	ret;
}
.visible .entry behind(.param .u64 x) {
	.reg .b64 %x; .reg .b32 %v;
	ld.param.u64 %x, [x];
	ld.global.b32 %v, [%x+64];
	ret;
}`), nil
}}

// open opens a device, with 16 words of memory in it and outside.
func open(t *testing.T) (compute.Context, compute.Queue, compute.Buffer, compute.Staging) {
	t.Helper()
	c, err := (&ptx.Device{Bytes: 1 << 20}).Open(program)
	if err != nil {
		t.Fatal(err)
	}
	q, err := c.Queue()
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Buffer(64)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Staging(64)
	if err != nil {
		t.Fatal(err)
	}
	return c, q, b, s
}

// TestDevice computes something. The queue reads its input as late as it may.
func TestDevice(t *testing.T) {
	c, q, b, s := open(t)
	k, err := c.Kernel("plus", 16, b, int32(-3))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(q.Write(b, s, 64), q.Launch(compute.Launch{Kernel: k, Groups: [2]int{1, 1}}), q.Read(s, b, 64)); err != nil {
		t.Fatal(err)
	}
	for i := range uint32(16) {
		binary.LittleEndian.PutUint32(s.Bytes()[4*i:], 10*i+5)
	}
	m, err := q.Flush()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Wait(); err != nil {
		t.Fatal(err)
	}
	for i := range uint32(16) {
		if got := binary.LittleEndian.Uint32(s.Bytes()[4*i:]); got != 10*i+2 {
			t.Errorf("word %d is %d, not %d", i, got, 10*i+2)
		}
	}
	for _, args := range [][]any{{b}, {b, int32(1), int32(2)}, {int32(1), b}, {b, "n"}} {
		if _, err := c.Kernel("plus", 16, args...); err == nil || !strings.Contains(err.Error(), "plus") {
			t.Errorf("a kernel with the arguments %v: %v", args, err)
		}
	}
	if _, err := c.Kernel("minus", 16, b); err == nil {
		t.Error("a kernel that is not there")
	}
	if _, err := c.Buffer(1 << 20); !errors.Is(err, compute.ErrMemory) {
		t.Errorf("more memory than there is: %v", err)
	}
}

// TestDeviceIsLost runs a kernel with a fault: from then on the device is lost.
func TestDeviceIsLost(t *testing.T) {
	c, q, b, s := open(t)
	k, err := c.Kernel("behind", 32, b)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Launch(compute.Launch{Kernel: k, Groups: [2]int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	m, err := q.Flush()
	if err != nil {
		t.Fatal(err)
	}
	var fault *ptx.Fault
	if err := m.Wait(); !errors.Is(err, compute.ErrLost) || !errors.As(err, &fault) || fault.Kernel != "behind" || fault.Line != 17 {
		t.Errorf("a kernel that reads behind a buffer: %v", err)
	}
	if err := q.Read(s, b, 64); err != nil {
		t.Fatal(err)
	}
	if m, err = q.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := m.Wait(); !errors.Is(err, compute.ErrLost) {
		t.Errorf("afterwards: %v", err)
	}
	if s.Bytes()[0] != 0 {
		t.Error("a lost device still copies")
	}
	if _, err := c.Buffer(64); !errors.Is(err, compute.ErrLost) {
		t.Errorf("memory afterwards: %v", err)
	}
}
