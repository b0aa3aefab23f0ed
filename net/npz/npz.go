// Package npz writes a network as a NumPy archive of arrays, which other scientific
// languages can read too.
//
// Unlike package net/onnx, which writes the computation, it writes only the parameters.
// An archive is a zip file with one .npy file per array. The formats are described at
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
package npz

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"warren/internal/durable"
	"warren/net"
)

// Save writes the parameters of n to path, each under its own name as an array of float32.
// It writes a temporary file and renames it, so that path never contains an incomplete
// file. The file contains nothing else, so numpy.load returns exactly the parameters. The
// same network always gives the same bytes.
func Save(path string, n *net.Network) error {
	return durable.WriteFile(path, func(w io.Writer) error {
		archive := zip.NewWriter(w)
		for _, p := range n.Params {
			// Not compressed: weights hardly get smaller, and uncompressed arrays can be mapped into memory. The sizes
			// stand before each array, because some readers do not look at the end of the file.
			array := arrayOf(p)
			entry, err := archive.CreateRaw(&zip.FileHeader{
				Name: p.Name + ".npy", Method: zip.Store, CRC32: crc32.ChecksumIEEE(array),
				CompressedSize64: uint64(len(array)), UncompressedSize64: uint64(len(array)),
			})
			if err == nil {
				_, err = entry.Write(array)
			}
			if err != nil {
				return fmt.Errorf("tensor %q: %w", p.Name, err)
			}
		}
		return archive.Close()
	})
}

// arrayOf returns a .npy file of version 1.0. It consists of a magic string, the length
// of a Python dictionary that describes the array, the dictionary, and the data. The data
// begins at a multiple of 64 bytes.
func arrayOf(t net.Tensor) []byte {
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
	array, err := binary.Append(append(start, header...), binary.LittleEndian, t.Data)
	if err != nil {
		panic(err) // float32 has a fixed size
	}
	return array
}
