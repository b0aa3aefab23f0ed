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
	"os"
	"slices"
	"strings"

	"warren/internal/durable"
)

// Files of tensors are in the safetensors format
// (https://huggingface.co/docs/safetensors): eight bytes of little-endian
// header length, a JSON header padded with spaces to a multiple of eight, then
// the tensors' numbers, little-endian and without gaps. The header says of
// each tensor its type, shape and place, and keeps strings of metadata under
// "__metadata__".
//
// Two strings are added to every file: the version of what Warren writes, and
// a SHA-256 over the whole file (taken with zeros in its own place), so that
// any changed bit is noticed. A file with neither, from another tool, is read
// without that check; with the version but not the hash it is damaged.
const (
	metaFormat    = "format_version"
	metaIntegrity = "integrity"

	formatVersion = "1"

	// maxHeader is the format's own limit on the header's length.
	maxHeader = 100_000_000
)

// Tensor is what a file holds: a name, a shape and the numbers. Names are
// unique in a file.
type Tensor = Param

// entry is a tensor's description in the header.
type entry struct {
	Type    string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// SaveTensors writes tensors and metadata to path, in the order given: whole,
// then renamed, so that path never holds half a file. Meta must not use the
// keys "format_version" and "integrity".
func SaveTensors(path string, tensors []Tensor, meta map[string]string) error {
	header, err := header(tensors, meta)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	digest := sha256.New()
	digest.Write(header)
	for _, t := range tensors {
		if err := writeFloats(digest, t.Data); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	at, _ := integrityField(header, strings.Repeat("0", 2*sha256.Size))
	hex.Encode(header[at:], digest.Sum(nil))
	return durable.WriteFile(path, func(w io.Writer) error {
		if _, err := w.Write(header); err != nil {
			return err
		}
		for _, t := range tensors {
			if err := writeFloats(w, t.Data); err != nil {
				return err
			}
		}
		return nil
	})
}

// header builds all that comes before the numbers, the length included, with
// zeros for the integrity hash.
func header(tensors []Tensor, meta map[string]string) ([]byte, error) {
	all := map[string]string{metaFormat: formatVersion, metaIntegrity: strings.Repeat("0", 2*sha256.Size)}
	for k, v := range meta {
		if _, ok := all[k]; ok {
			return nil, fmt.Errorf("the metadata key %q is the format's own", k)
		}
		all[k] = v
	}
	b := bytes.NewBuffer(make([]byte, 8))
	// Field by field, because a map would lose the tensors' order.
	field := func(before, name string, value any) error {
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
	if err := field("{", "__metadata__", all); err != nil {
		return nil, err
	}
	names := map[string]bool{"__metadata__": true}
	end := int64(0)
	for _, t := range tensors {
		if names[t.Name] {
			return nil, fmt.Errorf("two tensors are named %q, or the name is the format's own", t.Name)
		}
		names[t.Name] = true
		e := entry{Type: "F32", Shape: make([]int64, len(t.Shape)), Offsets: [2]int64{end, end + 4*int64(len(t.Data))}}
		for i, d := range t.Shape {
			e.Shape[i] = int64(d)
		}
		if n, ok := elements(e.Shape); !ok || n != int64(len(t.Data)) {
			return nil, fmt.Errorf("tensor %q of shape %v has %d numbers", t.Name, t.Shape, len(t.Data))
		}
		end = e.Offsets[1]
		if err := field(",", t.Name, e); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	if b.Len()-8 > maxHeader {
		return nil, fmt.Errorf("a header of %d bytes, the format allows %d", b.Len()-8, maxHeader)
	}
	h := b.Bytes()
	binary.LittleEndian.PutUint64(h, uint64(len(h)-8))
	return h, nil
}

// integrityField finds where in a header the integrity hash stands. Quotes in
// other strings are escaped, so nothing else looks like it.
func integrityField(header []byte, digest string) (at int, ok bool) {
	before := `"` + metaIntegrity + `":"`
	at = bytes.Index(header, []byte(before+digest+`"`))
	return at + len(before), at >= 0
}

// LoadTensors reads a file of tensors: the tensors in the order of their places
// in the file, and the metadata without the two strings that SaveTensors adds.
// Numbers of the types F16, BF16 and F64 are converted to float32, rounded to
// the nearest. A file that is truncated, damaged or of another sort gives an
// error that names it; memory taken never exceeds a few times its length.
func LoadTensors(path string) ([]Tensor, map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err // names the path itself
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
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
		return nil, nil, fmt.Errorf("%d bytes are too short for a safetensors file: it is truncated or something else", length)
	}
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, nil, err
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if n > maxHeader || n < 2 {
		return nil, nil, fmt.Errorf("a header of %d bytes is impossible: it is damaged or not a safetensors file", n)
	}
	if int64(n) > length-8 {
		return nil, nil, fmt.Errorf("truncated: a header of %d bytes in a file of %d", n, length)
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
		return nil, nil, errors.New("damaged: its integrity hash is missing from the metadata")
	}
	digest := sha256.New()
	digest.Write(head)
	for i := range tensors {
		if err := tensors[i].read(r, digest); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", tensors[i].Name, err)
		}
	}
	if hasHash && stated != hex.EncodeToString(digest.Sum(nil)) {
		return nil, nil, errors.New("damaged: its content does not match its integrity hash; take an older copy")
	}
	delete(meta, metaFormat)
	delete(meta, metaIntegrity)
	loaded := make([]Tensor, len(tensors))
	for i, t := range tensors {
		loaded[i] = t.Tensor
	}
	return loaded, meta, nil
}

// parseHeader reads the header's JSON and makes room for tensors that together
// fill exactly length bytes.
func parseHeader(header []byte, length int64) ([]stored, map[string]string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(header, &fields); err != nil {
		return nil, nil, fmt.Errorf("the header is damaged: %w", err)
	}
	meta := map[string]string{}
	if raw, ok := fields["__metadata__"]; ok {
		if err := json.Unmarshal(raw, &meta); err != nil || meta == nil {
			return nil, nil, errors.New("the header is damaged: its metadata are not strings")
		}
		delete(fields, "__metadata__")
	}
	// Before anything that another version may have put elsewhere.
	if version, ok := meta[metaFormat]; ok && version != formatVersion {
		return nil, nil, fmt.Errorf("format version %q, but this program reads version %s; use the program that wrote it, or a newer Warren", version, formatVersion)
	}
	entries := make(map[string]entry, len(fields))
	for name, raw := range fields {
		var e entry
		if err := strictJSON(raw, &e); err != nil {
			return nil, nil, fmt.Errorf("the header's entry of tensor %q is damaged: %w", name, err)
		}
		entries[name] = e
	}
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		return cmp.Or(cmp.Compare(entries[a].Offsets[0], entries[b].Offsets[0]),
			cmp.Compare(entries[a].Offsets[1], entries[b].Offsets[1]), cmp.Compare(a, b))
	})

	// All places are checked before any memory is taken.
	end := int64(0)
	for _, name := range names {
		e := entries[name]
		number, ok := numbers[e.Type]
		if !ok {
			return nil, nil, fmt.Errorf("tensor %q has type %q; F32, F16, BF16 and F64 are read", name, e.Type)
		}
		width := int64(number.width)
		if e.Offsets[0] != end || e.Offsets[1] < end {
			return nil, nil, fmt.Errorf("tensor %q is at bytes %d to %d, but the one before it ends at %d", name, e.Offsets[0], e.Offsets[1], end)
		}
		if n, ok := elements(e.Shape); !ok || n != (e.Offsets[1]-end)/width || (e.Offsets[1]-end)%width != 0 {
			return nil, nil, fmt.Errorf("tensor %q has shape %v but %d bytes", name, e.Shape, e.Offsets[1]-end)
		}
		end = e.Offsets[1]
	}
	if end > length {
		return nil, nil, fmt.Errorf("truncated: %d bytes of numbers where there should be %d", length, end)
	}
	if end < length {
		return nil, nil, fmt.Errorf("damaged: %d bytes after the last tensor", length-end)
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

// elements is the product of a shape; ok is false if it is absurd.
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

// strictJSON decodes all of data, which must have no unknown field.
func strictJSON(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the value")
	}
	return nil
}

// writeFloats writes x little-endian.
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
