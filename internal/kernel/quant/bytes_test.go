package quant

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"math"
	"os"
	"slices"
	"testing"
	"unsafe"
)

// inBytes is the unit in plain Go, with other products in the layout of tiles.
func inBytes(multiply func(*pointProducts)) *Unit {
	u := plain
	u.bytes = &byBytes{multiply, packTiles, chunk, 16}
	return &u
}

// TestUnitsInBytes compares the convolutions of this processor's units that multiply bytes.
func TestUnitsInBytes(t *testing.T) {
	for _, u := range assembly() {
		if u.bytes != nil {
			sameLayers(t, u)
		}
	}
}

// TestBytesEqualWhole: convolutions by products of bytes have the bits of those by whole numbers.
func TestBytesEqualWhole(t *testing.T) {
	sameLayers(t, inBytes(bytesProduct))
}

// TestTilesAreTrusted: a unit with other results is replaced, and one line of the log says so.
func TestTilesAreTrusted(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	var log bytes.Buffer
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	right := inBytes(bytesProduct)
	wrong := inBytes(func(p *pointProducts) {
		bytesProduct(p)
		last := &p.c[(points-1)*p.cPoint+(p.blocks-1)*p.cBlock+4*p.n-1]
		*last = math.Nextafter32(*last, math.MaxFloat32)
	})
	if trusted(right, &plain) != right || log.Len() > 0 {
		t.Errorf("right results are not trusted: %s", &log)
	}
	if trusted(wrong, &plain) != &plain || bytes.Count(log.Bytes(), []byte("\n")) != 1 {
		t.Errorf("wrong results are trusted, or the log has not one line: %s", &log)
	}
}

// TestUnitOfTiles compares the processor's tile unit with plain Go.
func TestUnitOfTiles(t *testing.T) {
	u, err := tileUnit()
	if err != nil {
		t.Skip(err)
	}
	sameLayers(t, u)
}

// sameLayers compares convolutions of a unit with those in plain Go.
func sameLayers(t *testing.T, u *Unit) {
	t.Helper()
	for _, c := range []struct{ in, out, boards int }{{64, 64, 5}, {64, 16, 1}, {128, 80, 3}, {64, 80, 21}, {80, 64, 2}} {
		results, products := layer(u, c.in, c.out, c.boards)
		y, m := layer(&plain, c.in, c.out, c.boards)
		if !slices.Equal(results, y) || len(products) == len(m) && !slices.Equal(products, m) {
			t.Errorf("%v: other results", c)
		}
		if slices.Max(y) == 0 {
			t.Errorf("%v: all results are 0", c)
		}
	}
}

// assemblyText is the routine for the tile unit.
func assemblyText(t *testing.T) program {
	t.Helper()
	text, err := os.ReadFile("amx_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	p, err := parse(string(text), "amxBytes")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// raw is the memory of a slice.
func raw[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(x[0])))
}

// onMachine returns a routine that the machine executes, with the memory of p.
func onMachine(code program, p *pointProducts, failed *error) bytesRoutine {
	return func(c *float32, a, b *int16, scale *float32, work, shapes *byte, points, groups, blocks, outs, chunks, aPoint, aBlock, cPoint, cBlock, cRow int) {
		m := machine{memory: []span{{raw(p.a), false}, {raw(p.b), false}, {raw(p.scale), false}, {unsafe.Slice(shapes, tileShapes), false}, {raw(p.c), true}, {p.work, true}}}
		for _, address := range []unsafe.Pointer{unsafe.Pointer(c), unsafe.Pointer(a), unsafe.Pointer(b), unsafe.Pointer(scale), unsafe.Pointer(work), unsafe.Pointer(shapes)} {
			m.args = binary.LittleEndian.AppendUint64(m.args, uint64(uintptr(address)))
		}
		for _, number := range []int{points, groups, blocks, outs, chunks, aPoint, aBlock, cPoint, cBlock, cRow} {
			m.args = binary.LittleEndian.AppendUint64(m.args, uint64(number))
		}
		*failed = errors.Join(*failed, m.run(code))
	}
}

// TestTilesEqualWhole: the assembly for the tile unit, executed instruction by instruction, gives
// convolutions the bits of plain Go.
func TestTilesEqualWhole(t *testing.T) {
	code := assemblyText(t)
	var failed error
	sameLayers(t, inBytes(func(p *pointProducts) { inGroups(p, onMachine(code, p, &failed)) }))
	if failed != nil {
		t.Error(failed)
	}
}
