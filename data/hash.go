package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// Hash is a record's identity, a SHA-256.
type Hash [sha256.Size]byte

// String returns the hash as 64 hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash is the inverse of [Hash.String].
func ParseHash(s string) (h Hash, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, fmt.Errorf("%q is not a SHA-256 in hexadecimal", s)
	}
	return Hash(b), nil
}

// Hash returns the identity of the record. For a record from a shard, of any format version, it is
// the ID. For a record without an ID it is the SHA-256 of [Record.AppendBinary], which a shard
// stores as the ID.
func (r *Record) Hash() Hash {
	if r.ID != (Hash{}) {
		return r.ID
	}
	return contentOf(r).identity()
}

// AppendBinary appends to b the canonical encoding of everything in the record but its ID. The error
// is always nil.
//
// The encoding is "warren record 5\n", where 5 is [Version], followed by the columns of a row
// after hash, in their order. Texts and lists begin with their length as an unsigned varint
// ([encoding/binary]). Numbers are little endian, as long as their type; floats are IEEE 754;
// booleans are a byte, 0 or 1.
func (r *Record) AppendBinary(b []byte) ([]byte, error) {
	return contentOf(r).appendBinary(b), nil
}

func (w *row) identity() Hash { return sha256.Sum256(w.appendBinary(nil)) }

func (w *row) appendBinary(b []byte) []byte {
	b = append(b, "warren record "+strconv.Itoa(Version)+"\n"...)
	v := reflect.ValueOf(w).Elem()
	for i := 1; i < v.NumField(); i++ { // the first is the hash itself
		b = appendValue(b, v.Field(i))
	}
	return b
}

// appendValue appends the encoding of a column, as [Record.AppendBinary] describes it.
func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		return append(b, v.String()...)
	case reflect.Slice:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
		return b
	case reflect.Struct:
		for i := range v.NumField() {
			b = appendValue(b, v.Field(i))
		}
		return b
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Uint16:
		return binary.LittleEndian.AppendUint16(b, uint16(v.Uint()))
	case reflect.Uint32:
		return binary.LittleEndian.AppendUint32(b, uint32(v.Uint()))
	case reflect.Uint64:
		return binary.LittleEndian.AppendUint64(b, v.Uint())
	case reflect.Int32:
		return binary.LittleEndian.AppendUint32(b, uint32(v.Int()))
	case reflect.Float32:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v.Float())))
	}
	panic("data: no encoding for a column of type " + v.Type().String())
}
