package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	parquetformat "github.com/parquet-go/parquet-go/format"
)

// parquet-go takes as much memory as a file asks for, before it reads that much. So a file of some
// kilobytes could take all of the machine's. The functions below check first what it asks for. Damage
// never comes that far, because the hash is checked before; but a file that somebody made can.

// Pages may have up to freeValues bytes and values, and valuesPerByte more for each byte of the file.
// Real shards have 5 to 15 a byte.
const (
	freeValues    = 1 << 20
	valuesPerByte = 256
)

// parquetMagic is at the beginning and the end of a Parquet file.
const parquetMagic = "PAR1"

var errSizes = errors.New("it states sizes that it does not have")

// checkFooter checks the lengths in the footer of a Parquet file.
func checkFooter(file []byte) error {
	n := len(file) - len(parquetMagic)
	if n < 8 || !bytes.HasPrefix(file, []byte(parquetMagic)) || !bytes.HasSuffix(file, []byte(parquetMagic)) {
		return errors.New("it is not a Parquet file")
	}
	size := binary.LittleEndian.Uint32(file[n-4:])
	if int64(size) > int64(n-8) {
		return errSizes
	}
	_, err := skipStruct(file[n-4-int(size):n-4], 0)
	return err
}

// checkPages checks the sizes of all pages of a Parquet file with the given footer.
func checkPages(footer *parquetformat.FileMetaData, file []byte) error {
	left := freeValues + valuesPerByte*int64(len(file))
	for _, group := range footer.RowGroups {
		for _, column := range group.Columns {
			m := &column.MetaData
			first := m.DataPageOffset
			if m.DictionaryPageOffset != 0 {
				first = m.DictionaryPageOffset
			}
			if first < 0 || m.TotalCompressedSize < 0 || first > int64(len(file)) || m.TotalCompressedSize > int64(len(file))-first {
				return errSizes
			}
			for pages := file[first : first+m.TotalCompressedSize]; len(pages) > 0; {
				values, rest, err := checkPage(pages)
				if left -= values; err == nil && left < 0 {
					err = errSizes
				}
				if err != nil {
					return err
				}
				pages = rest
			}
		}
	}
	return nil
}

// checkPage checks the page at the beginning of b. It returns the number of bytes and values that it
// takes when it is read, and what follows it.
func checkPage(b []byte) (size int64, rest []byte, err error) {
	body, err := skipStruct(b, 0)
	if err != nil {
		return 0, nil, err
	}
	var h parquetformat.PageHeader
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), b[:len(b)-len(body)], &h); err != nil {
		return 0, nil, err
	}
	n := int(h.CompressedPageSize)
	if n < 0 || n > len(body) || h.UncompressedPageSize < 0 {
		return 0, nil, errSizes
	}
	values, levels, compressed := h.DataPageHeader.V.NumValues, int32(0), true
	switch {
	case h.DictionaryPageHeader.Valid:
		values = h.DictionaryPageHeader.V.NumValues
	case h.DataPageHeaderV2.Valid:
		v2 := &h.DataPageHeaderV2.V
		values, compressed = v2.NumValues, !v2.IsCompressed.Valid || v2.IsCompressed.V
		// Levels precede the values, and are not compressed.
		levels = v2.RepetitionLevelsByteLength + v2.DefinitionLevelsByteLength
		if v2.RepetitionLevelsByteLength < 0 || v2.DefinitionLevelsByteLength < 0 || levels < 0 || int(levels) > n {
			return 0, nil, errSizes
		}
	}
	if values < 0 {
		return 0, nil, errSizes
	}
	decoded := uint64(n)
	if compressed {
		if decoded, err = frameSize(body[levels:n]); err != nil {
			return 0, nil, err
		}
	}
	return int64(values) + int64(h.UncompressedPageSize) + int64(min(decoded, 1<<40)), body[n:], nil
}

// frameSize returns the size of a zstd frame when it is decoded, which the decoder does not exceed. It
// refuses b if it is not exactly one frame with a known or a small size, or nothing.
func frameSize(b []byte) (uint64, error) {
	if len(b) == 0 {
		return 0, nil
	}
	var h zstd.Header
	if err := h.Decode(b); err != nil {
		return 0, err
	}
	if h.Skippable {
		return 0, errSizes
	}
	if !h.HasFCS { // the encoder omits a size below 256; a block has at most 128 kB
		h.FrameContentSize = 255
	}
	b = b[h.HeaderSize:]
	for last := false; !last; {
		if len(b) < 3 {
			return 0, io.ErrUnexpectedEOF
		}
		block := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
		if last = block&1 != 0; !last && !h.HasFCS {
			return 0, errSizes
		}
		size := block >> 3
		if block>>1&3 == 1 { // one byte, repeated
			size = 1
		}
		if b = b[3:]; size > len(b) {
			return 0, io.ErrUnexpectedEOF
		}
		b = b[size:]
	}
	if h.HasCheckSum {
		b = b[min(4, len(b)):]
	}
	if len(b) > 0 {
		return 0, errSizes
	}
	return h.FrameContentSize, nil
}
