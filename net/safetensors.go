package net

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"warren/internal/durable"
)

// Files of tensors are in the safetensors format
// (https://huggingface.co/docs/safetensors). A file consists of the length of the header
// as eight little-endian bytes, a JSON header padded with spaces to a multiple of eight
// bytes, and the data of the tensors, little-endian and without gaps. The header contains
// the type, shape and offsets of each tensor, and strings of metadata under
// "__metadata__".
//
// Warren adds two strings to every file: the version of its format, and the SHA-256 of the
// whole file, computed with zeros instead of the hash, so that any changed bit is
// detected. A file with neither comes from another program and is read without that check.
// A file that has the version but not the hash is damaged.
const (
	metaFormat    = "format_version"
	metaIntegrity = "integrity"

	formatVersion = "1"

	// maxHeader limits the length of a header, which takes much more memory when it is
	// parsed: room for 40,000 tensors, of which the largest network with its optimiser
	// has fewer than 1,200. The format itself allows 100 MB.
	maxHeader = 4 << 20
	// MaxFile limits the size of a file, in bytes: more than the largest network with
	// its optimiser takes as F32.
	MaxFile = 4 << 30
	// maxRank limits the number of dimensions of a tensor.
	maxRank = 8
)

// Tensor is a named array in a file: a name, a shape and the data. Names are unique in a
// file.
type Tensor = Param

// entry is the description of a tensor in the header.
type entry struct {
	Type    string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// SaveTensors writes tensors, in the given order, and metadata to path. It writes a
// temporary file and renames it, so that path never contains an incomplete file. Meta must
// not use the keys "format_version" and "integrity". It is an error if two tensors have the
// same name, if a shape does not match its data, or if a number is not finite.
func SaveTensors(path string, tensors []Tensor, meta map[string]string) error {
	header, err := header(tensors, meta)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return durable.WriteFile(path, func(w io.Writer) error { return writeTensors(w, header, tensors) })
}

// writeTensors writes the header, with the integrity hash, and the data.
func writeTensors(w io.Writer, header []byte, tensors []Tensor) error {
	digest := sha256.New()
	digest.Write(header)
	for _, t := range tensors {
		if err := writeFloats(digest, t.Data); err != nil {
			return err
		}
	}
	at, _ := integrityField(header, strings.Repeat("0", 2*sha256.Size))
	hex.Encode(header[at:], digest.Sum(nil))
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, t := range tensors {
		if err := writeFloats(w, t.Data); err != nil {
			return err
		}
	}
	return nil
}

// header returns everything that precedes the data, including the length, with zeros for
// the integrity hash.
func header(tensors []Tensor, meta map[string]string) ([]byte, error) {
	all := map[string]string{metaFormat: formatVersion, metaIntegrity: strings.Repeat("0", 2*sha256.Size)}
	for k, v := range meta {
		if _, ok := all[k]; ok {
			return nil, fmt.Errorf("the metadata key %q is reserved", k)
		}
		all[k] = v
	}
	b := bytes.NewBuffer(make([]byte, 8))
	// Write field by field, because a map would lose the order of the tensors.
	if err := writeField(b, "{", "__metadata__", all); err != nil {
		return nil, err
	}
	names := map[string]bool{"__metadata__": true}
	end := int64(0)
	for _, t := range tensors {
		if names[t.Name] {
			return nil, fmt.Errorf("two tensors have the name %q, or the name is reserved", t.Name)
		}
		names[t.Name] = true
		e := entry{Type: "F32", Shape: make([]int64, len(t.Shape)), Offsets: [2]int64{end, end + 4*int64(len(t.Data))}}
		for i, d := range t.Shape {
			e.Shape[i] = int64(d)
		}
		if n, ok := elements(e.Shape); !ok || n != int64(len(t.Data)) {
			return nil, fmt.Errorf("tensor %q of shape %v has %d numbers", t.Name, t.Shape, len(t.Data))
		}
		if i := slices.IndexFunc(t.Data, func(x float32) bool { return !finite(x) }); i >= 0 {
			return nil, fmt.Errorf("number %d of tensor %q is %v: the training has failed, or the numbers are no weights", i, t.Name, t.Data[i])
		}
		end = e.Offsets[1]
		if err := writeField(b, ",", t.Name, e); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	if b.Len()-8 > maxHeader {
		return nil, fmt.Errorf("the header has %d bytes, but may have only %d", b.Len()-8, maxHeader)
	}
	h := b.Bytes()
	binary.LittleEndian.PutUint64(h, uint64(len(h)-8))
	return h, nil
}

// writeField writes a field of a JSON object after what separates it from the one before.
func writeField(b *bytes.Buffer, before, name string, value any) error {
	k, err := json.Marshal(name)
	if err != nil {
		return err
	}
	v, err := json.Marshal(value)
	if err != nil {
		return err
	}
	b.WriteString(before)
	b.Write(k)
	b.WriteByte(':')
	b.Write(v)
	return nil
}

// integrityField returns the position of the integrity hash in a header. Nothing else in
// the header matches, because quotation marks inside strings are escaped.
func integrityField(header []byte, digest string) (at int, ok bool) {
	before := `"` + metaIntegrity + `":"`
	at = bytes.Index(header, []byte(before+digest+`"`))
	return at + len(before), at >= 0
}

// LoadTensors reads a file of tensors. It returns the tensors in the order of their
// positions in the file, and the metadata without the two strings that SaveTensors adds.
// Data of the types F16, BF16 and F64 is converted to float32 and rounded to the nearest.
// If the file is truncated, damaged or not a safetensors file, or if a number is not
// finite, the error names it. Path must be a regular file.
// LoadTensors never allocates more than in proportion to the length of the file.
func LoadTensors(path string) ([]Tensor, map[string]string, error) {
	f, err := durable.Open(path)
	if err != nil {
		return nil, nil, err // contains the path
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if info.Size() > MaxFile {
		return nil, nil, fmt.Errorf("reading %s: %d bytes are more than any network has: it is not a safetensors file, or not a network's", path, info.Size())
	}
	tensors, meta, err := readTensors(bufio.NewReaderSize(f, 1<<16), info.Size())
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return tensors, meta, nil
}

// readTensors reads a file of length bytes from r.
func readTensors(r io.Reader, length int64) ([]Tensor, map[string]string, error) {
	var prefix [8]byte
	if length < 8 {
		return nil, nil, fmt.Errorf("%d bytes are too short for a safetensors file: it is truncated or not a safetensors file", length)
	}
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, nil, err
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if n > maxHeader || n < 2 {
		return nil, nil, fmt.Errorf("a header of %d bytes is impossible: the file is damaged or not a safetensors file", n)
	}
	if int64(n) > length-8 {
		return nil, nil, fmt.Errorf("truncated: the header should have %d bytes, but the file has only %d", n, length)
	}
	head := make([]byte, 8+n)
	copy(head, prefix[:])
	if _, err := io.ReadFull(r, head[8:]); err != nil {
		return nil, nil, err
	}
	tensors, meta, err := parseHeader(head[8:], length-int64(len(head)))
	if err != nil {
		return nil, nil, err
	}

	stated, hasHash := meta[metaIntegrity]
	if hasHash {
		if at, ok := integrityField(head, stated); ok {
			copy(head[at:], strings.Repeat("0", len(stated)))
		}
	} else if _, ok := meta[metaFormat]; ok {
		return nil, nil, errors.New("damaged: the integrity hash is missing from the metadata")
	}
	digest := sha256.New()
	digest.Write(head)
	buf := make([]byte, 1<<14)
	for i := range tensors {
		if err := tensors[i].read(r, digest, buf); err != nil {
			return nil, nil, fmt.Errorf("tensor %.80q: %w", tensors[i].Name, err)
		}
	}
	if hasHash && stated != hex.EncodeToString(digest.Sum(nil)) {
		return nil, nil, errors.New("damaged: its content does not match its integrity hash; use another copy")
	}
	delete(meta, metaFormat)
	delete(meta, metaIntegrity)
	loaded := make([]Tensor, len(tensors))
	for i, t := range tensors {
		loaded[i] = t.Tensor
	}
	return loaded, meta, nil
}

// parseHeader parses the JSON header and allocates the tensors. Their data must fill
// exactly length bytes.
func parseHeader(header []byte, length int64) ([]stored, map[string]string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(header, &fields); err != nil {
		return nil, nil, fmt.Errorf("the header is damaged: %w", err)
	}
	meta := map[string]string{}
	if raw, ok := fields["__metadata__"]; ok {
		if err := json.Unmarshal(raw, &meta); err != nil || meta == nil {
			return nil, nil, errors.New("the header is damaged: its metadata does not consist of strings")
		}
		delete(fields, "__metadata__")
	}
	// Check the version before anything else, because another version may differ in
	// everything else.
	if version, ok := meta[metaFormat]; ok && version != formatVersion {
		return nil, nil, fmt.Errorf("%w: format version %.20q, but this program reads version %s; use the program that wrote it, or a newer Warren", ErrVersion, version, formatVersion)
	}
	entries := make(map[string]entry, len(fields))
	for name, raw := range fields {
		var e entry
		if err := strictJSON(raw, &e); err != nil {
			return nil, nil, fmt.Errorf("the header entry of tensor %.80q is damaged: %w", name, err)
		}
		entries[name] = e
	}
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		return cmp.Or(cmp.Compare(entries[a].Offsets[0], entries[b].Offsets[0]),
			cmp.Compare(entries[a].Offsets[1], entries[b].Offsets[1]), cmp.Compare(a, b))
	})

	// Check all offsets before allocating any memory.
	if err := checkEntries(entries, names, length); err != nil {
		return nil, nil, err
	}
	tensors := make([]stored, len(names))
	for i, name := range names {
		e := entries[name]
		number := numbers[e.Type]
		t := Tensor{Name: name, Shape: make([]int, len(e.Shape)), Data: make([]float32, (e.Offsets[1]-e.Offsets[0])/int64(number.width))}
		for j, d := range e.Shape {
			t.Shape[j] = int(d)
		}
		tensors[i] = stored{t, number}
	}
	return tensors, meta, nil
}

// checkEntries returns an error unless the tensors, in the order of names, fill length bytes of data exactly.
func checkEntries(entries map[string]entry, names []string, length int64) error {
	end := int64(0)
	for _, name := range names {
		e := entries[name]
		number, ok := numbers[e.Type]
		if !ok {
			return fmt.Errorf("tensor %.80q has type %.20q; the supported types are F32, F16, BF16 and F64", name, e.Type)
		}
		width := int64(number.width)
		if e.Offsets[0] != end || e.Offsets[1] < end {
			return fmt.Errorf("tensor %.80q is at bytes %d to %d, but the previous tensor ends at %d", name, e.Offsets[0], e.Offsets[1], end)
		}
		if len(e.Shape) > maxRank {
			return fmt.Errorf("tensor %.80q has %d dimensions; it may have %d", name, len(e.Shape), maxRank)
		}
		if n, ok := elements(e.Shape); !ok || n != (e.Offsets[1]-end)/width || (e.Offsets[1]-end)%width != 0 {
			return fmt.Errorf("tensor %.80q has shape %v but %d bytes", name, e.Shape, e.Offsets[1]-end)
		}
		end = e.Offsets[1]
	}
	if end > length {
		return fmt.Errorf("truncated: there are %d bytes of data, but there should be %d", length, end)
	}
	if end < length {
		return fmt.Errorf("damaged: there are %d bytes after the last tensor", length-end)
	}
	return nil
}

// elements returns the number of elements of a shape. If a dimension is negative, or the
// shape is too large for memory, ok is false.
func elements(shape []int64) (n int64, ok bool) {
	n = 1
	for _, d := range shape {
		if d < 0 || d > math.MaxInt32 || d > 0 && n > math.MaxInt64/8/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// strictJSON decodes data, which must be one JSON value without unknown fields.
func strictJSON(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more data after the value")
	}
	return nil
}

// writeFloats writes x as little-endian float32 numbers.
func writeFloats(w io.Writer, x []float32) error {
	buf := make([]byte, 0, 1<<14)
	for len(x) > 0 {
		n := min(len(x), cap(buf)/4)
		for _, v := range x[:n] {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		x, buf = x[n:], buf[:0]
	}
	return nil
}
