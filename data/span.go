package data

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go"

	"warren/internal/durable"
)

// usualTail is the part of a shard's end that [Span] reads first, more than twice the usual footer.
const usualTail = 8 << 10

// Span returns the lowest and the highest game number that the footer of the shard at path states, in any
// version of the format. It reads only the end of the file and verifies nothing: see [OpenShard].
func Span(path string) (first, last uint64, err error) {
	tail, err := readTail(path)
	if err != nil {
		return 0, 0, fmt.Errorf("reading the footer of a shard: %w", err)
	}
	// With a beginning, the end of the file is a file whose pages are missing.
	f := &File{path: path, content: append([]byte(parquetMagic), tail...)}
	err = f.guard(func() error {
		if err := checkFooter(f.content); err != nil {
			return err
		}
		p, err := f.open()
		if err != nil {
			return err
		}
		column, ok := p.Schema().Lookup("game")
		if !ok || len(p.RowGroups()) == 0 {
			return errors.New("it has no game numbers")
		}
		for i, group := range p.RowGroups() {
			low, high, ok := group.ColumnChunks()[column.ColumnIndex].(*parquet.FileColumnChunk).Bounds()
			if !ok {
				return errors.New("it does not state its game numbers")
			}
			if i == 0 {
				first = low.Uint64()
			}
			first, last = min(first, low.Uint64()), max(last, high.Uint64())
		}
		return nil
	})
	return first, last, err
}

// readTail returns the end of the file at path, from the footer or before it, or all of a small one.
func readTail(path string) ([]byte, error) {
	f, err := durable.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	read := func(n int64) ([]byte, error) {
		tail := make([]byte, min(n, info.Size()))
		_, err := f.ReadAt(tail, info.Size()-int64(len(tail)))
		return tail, err
	}
	tail, err := read(usualTail)
	if err != nil || len(tail) < 8 {
		return tail, err
	}
	// The footer is followed by its size and four more bytes.
	if size := 8 + int64(binary.LittleEndian.Uint32(tail[len(tail)-8:])); size > usualTail {
		return read(size)
	}
	return tail, nil
}
