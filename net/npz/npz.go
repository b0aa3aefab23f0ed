// Package npz writes a network as NumPy's archive of arrays, for which other
// scientific languages have readers too.
//
// It stands beside package net/onnx: that says the computation, this only the
// numbers. The formats are described at
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html: a zip
// archive with one .npy file an array.
package npz

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"warren/internal/durable"
	"warren/net"
)

// Save writes the parameters of n to path, each under its own name, whole and
// then renamed. There is nothing else in the file, so that every entry is one
// that numpy.load returns. The same network gives the same bytes.
func Save(path string, n *net.Network) error {
	return durable.WriteFile(path, func(w io.Writer) error {
		archive := zip.NewWriter(w)
		for _, p := range n.Params {
			// Stored, not deflated: weights do not compress, and stored ones can
			// be mapped into memory.
			entry, err := archive.CreateHeader(&zip.FileHeader{Name: p.Name + ".npy", Method: zip.Store})
			if err != nil {
				return fmt.Errorf("writing %s: tensor %q: %w", path, p.Name, err)
			}
			if err := writeArray(entry, p); err != nil {
				return fmt.Errorf("writing %s: tensor %q: %w", path, p.Name, err)
			}
		}
		return archive.Close()
	})
}

// writeArray writes a .npy file of version 1.0: a magic word, the length of a
// Python dictionary that describes the array, that, and the numbers. The
// numbers begin at a multiple of 64 bytes.
func writeArray(w io.Writer, t net.Tensor) error {
	dims := make([]string, len(t.Shape))
	for i, d := range t.Shape {
		dims[i] = fmt.Sprint(d)
	}
	shape := strings.Join(dims, ", ")
	if len(dims) == 1 {
		shape += ","
	}
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", shape)
	const before = 10 // bytes before the dictionary
	header += strings.Repeat(" ", 63-(before+len(header))%64) + "\n"
	start := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(start[8:], uint16(len(header)))
	if _, err := w.Write(append(start, header...)); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, t.Data)
}
