package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	parquetformat "github.com/parquet-go/parquet-go/format"
)

// A small file that would take much memory is refused before it takes it.
func TestSizesAreCheckedFirst(t *testing.T) {
	w := rowOf(goldenRecord())
	w.Decisions = make([]Decision, 1_000_000)
	b, err := encodeRows([]row{w}, Version, 0)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = newFile(named(b), b)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrDamaged) || !errors.Is(err, errSizes) {
		t.Errorf("%d bytes with a million decisions: error %v", len(b), err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 8<<20 {
		t.Errorf("%d bytes took %d", len(b), taken)
	}
}

// The lengths of a footer and of a page's levels must fit into the file.
func TestLengthsInFile(t *testing.T) {
	footer := func(size uint32) []byte {
		return append(binary.LittleEndian.AppendUint32([]byte(parquetMagic+"\x00"), size), parquetMagic...)
	}
	if err := checkFooter(footer(1)); err != nil {
		t.Error(err)
	}
	for _, size := range []uint32{2, 1 << 20, 1<<32 - 1} {
		if err := checkFooter(footer(size)); !errors.Is(err, errSizes) {
			t.Errorf("a footer of %d bytes: %v", size, err)
		}
	}
	for levels, ok := range map[int32]bool{0: true, 4: true, 5: false, -1: false} {
		h := parquetformat.PageHeader{Type: parquetformat.DataPageV2, UncompressedPageSize: 4, CompressedPageSize: 4}
		h.DataPageHeaderV2.Valid = true
		h.DataPageHeaderV2.V.DefinitionLevelsByteLength = levels
		h.DataPageHeaderV2.V.IsCompressed = thrift.New(false)
		page, err := thrift.Marshal(new(thrift.CompactProtocol), &h)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := checkPage(append(page, 1, 2, 3, 4)); (err == nil) != ok || !ok && !errors.Is(err, errSizes) {
			t.Errorf("levels of %d bytes: %v", levels, err)
		}
	}
}

// The lengths in a file's metadata must fit into it.
func TestLengthsInMetadata(t *testing.T) {
	long := binary.AppendUvarint(nil, 1<<31)
	field := func(kind byte, content ...[]byte) []byte {
		return append(append([]byte{1<<4 | kind}, bytes.Join(content, nil)...), 0)
	}
	for name, c := range map[string]struct {
		b  []byte
		ok bool
	}{
		"nothing":            {nil, false},
		"an empty struct":    {[]byte{0}, true},
		"a text":             {field(8, []byte{2, 'a', 'b'}), true},
		"a long text":        {field(8, long, []byte("ab")), false},
		"a list":             {field(9, []byte{3<<4 | 5, 7, 7, 7}), true},
		"a long list":        {field(9, []byte{15<<4 | 12}, long, make([]byte, 100)), false},
		"a list of structs":  {field(9, []byte{2<<4 | 12, 0, 0}), true},
		"a struct":           {field(12, []byte{0x11, 0}), true},
		"an unended struct":  {[]byte{1<<4 | 12, 1}, false},
		"an unknown type":    {field(14, []byte{0}), false},
		"too many structs":   {append(bytes.Repeat([]byte{1<<4 | 12}, 100), make([]byte, 101)...), false},
		"too many lists":     {field(9, bytes.Repeat([]byte{1<<4 | 9}, 100), make([]byte, 100)), false},
		"a field's number":   {[]byte{5, 0x80, 1, 9, 0}, true},
		"an unended integer": {[]byte{1<<4 | 5, 0x80}, false},
	} {
		rest, err := skipStruct(append(bytes.Clone(c.b), 1, 2, 3)[:len(c.b)], 0)
		if (err == nil) != c.ok || c.ok && len(rest) > 0 {
			t.Errorf("%s: %d bytes left, error %v", name, len(rest), err)
		}
	}
}

// The size of a compressed page is known before it is decoded.
func TestFrameSize(t *testing.T) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false))
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(i * i >> 7)
	}
	for _, n := range []int{1, 255, 256, 70_000, 300_000} {
		for _, content := range [][]byte{noise[:n], make([]byte, n)} {
			b := encoder.EncodeAll(content, nil)
			want := uint64(n)
			if n < 256 {
				want = 255
			}
			if got, err := frameSize(b); err != nil || got != want {
				t.Errorf("%d bytes: %d, %v, want %d", n, got, err, want)
			}
			if _, err := frameSize(b[:len(b)-1]); err == nil {
				t.Errorf("%d bytes: no error for a frame that is cut", n)
			}
			if _, err := frameSize(append(bytes.Clone(b), b...)); err == nil {
				t.Errorf("%d bytes: no error for two frames", n)
			}
		}
	}
	checked, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := frameSize(checked.EncodeAll(noise, nil)); n != uint64(len(noise)) || err != nil {
		t.Errorf("a frame with a checksum: %d, %v", n, err)
	}
	if n, err := frameSize(nil); n != 0 || err != nil {
		t.Errorf("nothing: %d, %v", n, err)
	}
	var unknown bytes.Buffer
	stream, err := zstd.NewWriter(&unknown)
	if err != nil {
		t.Fatal(err)
	}
	stream.Write(noise)
	stream.Flush()
	stream.Write(noise)
	stream.Close()
	if _, err := frameSize(unknown.Bytes()); err == nil {
		t.Error("no error for a frame that does not state its size")
	}
}

// Whatever the bytes of a file are, reading it gives valid games or an error, and takes a bounded amount
// of memory. If they are not those of its name, there is always an error.
func FuzzReadShard(f *testing.F) {
	dir := f.TempDir()
	unfinished := randomRecord(2, 40)
	unfinished.Decisions = unfinished.Decisions[:40]
	for _, records := range [][]*Record{{goldenRecord()}, randomRecords(0, 2, 20), {unfinished}} {
		b, err := os.ReadFile(writeShard(f, dir, records))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	good := writeShard(f, dir, randomRecords(5, 1, 30))
	content, err := os.ReadFile(good)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !bytes.Equal(b, content) {
			if _, err := newFile(good, b); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "hash") {
				t.Fatalf("error %v for bytes that are not those of the name", err)
			}
		}
		before := allocated()
		readForged(t, b)
		if taken := allocated() - before; taken > 1<<28+2000*uint64(len(b)) {
			t.Fatalf("%d bytes took %d", len(b), taken)
		}
	})
}

// allocated returns the bytes that were ever taken from the heap. Unlike [runtime.ReadMemStats] it stops
// nothing, and so may lack the small objects that came last.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
