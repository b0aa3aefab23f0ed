package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warren/internal/nettest"
	"warren/net"
)

// TestSave reads the archive with a reader written from the description of the format.
func TestSave(t *testing.T) {
	n := nettest.New(t, net.Config{Blocks: 1, Channels: 8, PoolEvery: 1, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 4,
		Auxiliary: strings.Join(net.AuxiliaryHeads(), " ")}, 1)
	n.Params[1].Data[3] = -0x1p-140 // a number that rounding would change
	path := filepath.Join(t.TempDir(), "net.npz")
	if err := Save(path, n); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if len(archive.File) != len(n.Params) {
		t.Fatalf("%d arrays for %d parameters", len(archive.File), len(n.Params))
	}
	dictionary := regexp.MustCompile(`^\{'descr': '<f4', 'fortran_order': False, 'shape': \(([0-9, ]+)\), \} *\n$`)
	for i, p := range n.Params {
		f, err := archive.File[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(f) // also checks the checksums of the zip file
		if err != nil {
			t.Fatal(err)
		}
		if archive.File[i].Flags&8 != 0 {
			t.Errorf("the sizes of %s come after it", p.Name)
		}
		if archive.File[i].Name != p.Name+".npy" {
			t.Errorf("array %d is called %s, not %s.npy", i, archive.File[i].Name, p.Name)
		}
		if !bytes.HasPrefix(content, []byte("\x93NUMPY\x01\x00")) {
			t.Fatalf("%s begins with %q", p.Name, content[:8])
		}
		start := 10 + int(binary.LittleEndian.Uint16(content[8:]))
		found := dictionary.FindSubmatch(content[10:start])
		if start%64 != 0 || found == nil {
			t.Fatalf("%s: %d bytes before the numbers, with %q", p.Name, start, content[10:start])
		}
		// A Python tuple with one element has a comma after it.
		if one := strings.HasSuffix(string(found[1]), ","); one != (len(p.Shape) == 1) {
			t.Errorf("%s has the shape (%s)", p.Name, found[1])
		}
		var shape []int
		for _, d := range strings.FieldsFunc(string(found[1]), func(r rune) bool { return r == ',' || r == ' ' }) {
			v, err := strconv.Atoi(d)
			if err != nil {
				t.Fatal(err)
			}
			shape = append(shape, v)
		}
		numbers := make([]float32, len(p.Data))
		if len(content)-start != 4*len(numbers) {
			t.Fatalf("%s: %d bytes of numbers", p.Name, len(content)-start)
		}
		if err := binary.Read(bytes.NewReader(content[start:]), binary.LittleEndian, numbers); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(shape, p.Shape) || !slices.Equal(numbers, p.Data) {
			t.Errorf("%s is another array", p.Name)
		}
	}
}

func TestSaveAgainGivesTheSameBytes(t *testing.T) {
	n := nettest.New(t, net.DefaultConfig(), 1)
	path := filepath.Join(t.TempDir(), "net.npz")
	var before []byte
	for range 2 {
		if err := Save(path, n); err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && !bytes.Equal(before, now) {
			t.Error("the same network gave other bytes")
		}
		before = now
	}
	if err := Save(filepath.Join(path, "x.npz"), n); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("writing below a file gave %v", err)
	}
}

// TestErrorNamesTheFileOnce: the error of an array that cannot be written has the array's name, and the file's once.
func TestErrorNamesTheFileOnce(t *testing.T) {
	long := strings.Repeat("n", 1<<16) // no zip file can have it
	path := filepath.Join(t.TempDir(), "net.npz")
	err := Save(path, &net.Network{Params: []net.Tensor{{Name: long}}})
	if err == nil || !strings.HasPrefix(err.Error(), "writing "+path+": tensor \""+long+"\": ") {
		t.Errorf("the error is %.200v", err)
	}
}
