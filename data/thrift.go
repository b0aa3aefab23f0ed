package data

import (
	"encoding/binary"
	"fmt"
	"io"
)

// maxDepth is the largest depth of nested structs and lists in a Parquet file's metadata.
const maxDepth = 32

var errDepth = fmt.Errorf("its metadata is nested more than %d times", maxDepth)

// skipStruct returns what follows the struct at the beginning of b, which is encoded in Thrift's
// compact protocol. It returns an error if the struct states the length of a text or list for which b
// is too short.
func skipStruct(b []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	for {
		if len(b) == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		field := b[0]
		if b = b[1:]; field == 0 {
			return b, nil
		}
		var err error
		if field>>4 == 0 { // the field's number follows
			if _, b, err = uvarint(b); err != nil {
				return nil, err
			}
		}
		if kind := field & 15; kind > 2 { // 1 and 2 are the values of a boolean
			if b, err = skipValue(b, kind, depth); err != nil {
				return nil, err
			}
		}
	}
}

// skipValue returns what follows the value of a type of the compact protocol.
func skipValue(b []byte, kind byte, depth int) ([]byte, error) {
	size := uint64(0) // bytes to skip
	var err error
	switch kind {
	case 1, 2, 3: // a boolean in a list, a byte
		size = 1
	case 4, 5, 6: // integers
		_, b, err = uvarint(b)
	case 7: // a float
		size = 8
	case 8: // a text
		size, b, err = uvarint(b)
	case 9, 10: // a list, a set
		return skipList(b, depth)
	case 12:
		return skipStruct(b, depth+1)
	default:
		err = fmt.Errorf("its metadata has a value of the type %d", kind)
	}
	if err != nil {
		return nil, err
	}
	if size > uint64(len(b)) {
		return nil, errSizes
	}
	return b[size:], nil
}

func skipList(b []byte, depth int) ([]byte, error) {
	if len(b) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	n, kind := uint64(b[0]>>4), b[0]&15
	b = b[1:]
	var err error
	if n == 15 {
		if n, b, err = uvarint(b); err != nil {
			return nil, err
		}
	}
	if depth > maxDepth {
		return nil, errDepth
	}
	for range n { // every element has at least a byte, so b ends before a list that is too long
		if b, err = skipValue(b, kind, depth+1); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func uvarint(b []byte) (uint64, []byte, error) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return v, b[n:], nil
}
