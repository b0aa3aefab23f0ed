package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// errShort is the error for an encoding that ends too early.
var errShort = errors.New("it ends too early")

// UnmarshalBinary is the inverse of [Record.AppendBinary]. It also sets the ID, to the SHA-256 of b.
// It accepts only the exact bytes that AppendBinary writes, but does not check the game: see
// [Record.Validate]. Its memory use is proportional to the length of b. The error wraps [ErrFormat]
// if b is a record of another format version.
func (r *Record) UnmarshalBinary(b []byte) error {
	head, rest, ok := bytes.Cut(b, []byte("\n"))
	digits, isRecord := bytes.CutPrefix(head, []byte("warren record "))
	if !ok || !isRecord {
		return errors.New("decoding a record: it does not begin as one")
	}
	if version := strconv.Itoa(Version); string(digits) != version {
		return fmt.Errorf("decoding a record: %w: version %.10q, and this program reads version %s", ErrFormat, digits, version)
	}
	w := row{Hash: Hash(sha256.Sum256(b)).String()}
	v := reflect.ValueOf(&w).Elem()
	var err error
	for i := 1; i < v.NumField() && err == nil; i++ { // the first is the hash itself
		rest, err = readValue(rest, v.Field(i))
	}
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes follow its end", len(rest))
	}
	if err != nil {
		return fmt.Errorf("decoding a record: %w", err)
	}
	decoded, err := w.record()
	if err != nil {
		return fmt.Errorf("decoding a record: %w", err)
	}
	if !bytes.Equal(contentOf(decoded).appendBinary(nil), b) {
		return errors.New("decoding a record: it is not encoded as this program encodes it")
	}
	*r = *decoded
	return nil
}

// readValue is the inverse of appendValue. It returns the bytes after the value.
func readValue(b []byte, v reflect.Value) ([]byte, error) {
	switch v.Kind() {
	case reflect.String:
		n, b, err := readLength(b, 1)
		if err != nil {
			return nil, err
		}
		v.SetString(string(b[:n]))
		return b[n:], nil
	case reflect.Slice:
		n, b, err := readLength(b, leastSize(v.Type().Elem()))
		if err != nil {
			return nil, err
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			if b, err = readValue(b, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return b, nil
	case reflect.Struct:
		var err error
		for i := range v.NumField() {
			if b, err = readValue(b, v.Field(i)); err != nil {
				return nil, err
			}
		}
		return b, nil
	}
	n := leastSize(v.Type())
	if len(b) < n {
		return nil, errShort
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(b[0] != 0)
	case reflect.Uint16:
		v.SetUint(uint64(binary.LittleEndian.Uint16(b)))
	case reflect.Uint32:
		v.SetUint(uint64(binary.LittleEndian.Uint32(b)))
	case reflect.Uint64:
		v.SetUint(binary.LittleEndian.Uint64(b))
	case reflect.Int32:
		v.SetInt(int64(int32(binary.LittleEndian.Uint32(b))))
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	}
	return b[n:], nil
}

// readLength reads the length of a text or list whose elements take at least size bytes each. It
// rejects a length for which b is too short.
func readLength(b []byte, size int) (int, []byte, error) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used)/uint64(size) {
		return 0, nil, errShort
	}
	return int(n), b[used:], nil
}

// leastSize returns the smallest size, in bytes, of an encoded value of type t.
func leastSize(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Slice:
		return 1
	case reflect.Struct:
		n := 0
		for i := range t.NumField() {
			n += leastSize(t.Field(i).Type)
		}
		return n
	}
	return int(t.Size())
}
