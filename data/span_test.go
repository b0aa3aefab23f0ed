package data

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

func TestSpan(t *testing.T) {
	dir := t.TempDir()
	large := randomRecords(1<<63, 40, 0)
	for _, records := range [][]*Record{{randomRecord(300, 5), randomRecord(7, 5), randomRecord(20, 5)}, {randomRecord(0, 5)}, large} {
		info := arrive(t, dir, 0, records)
		first, last, err := Span(info.Path)
		if err != nil || first != info.First || last != info.Last {
			t.Errorf("the games of %s are %d to %d, %v, want %d to %d", info.Path, first, last, err, info.First, info.Last)
		}
	}
	whole, err := os.ReadFile(arrive(t, dir, 0, large).Path)
	if err != nil || len(whole) <= usualTail {
		t.Fatalf("a shard of %d bytes, %v, want more than %d", len(whole), err, usualTail)
	}
	path := filepath.Join(dir, "cut")
	for _, content := range [][]byte{nil, whole[:9], whole[:len(whole)-1], slices.Concat(whole, whole[:9])} {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Span(path); !errors.Is(err, ErrDamaged) {
			t.Errorf("the span of %d bytes of %d: %v", len(content), len(whole), err)
		}
	}
	if _, _, err := Span(dir); !NotAFile(err) {
		t.Errorf("the span of a directory: %v", err)
	}
	type other struct {
		Name string `parquet:"name"`
	}
	if first, last, err := Span(place(t, dir, []other{{"x"}}, Version)); !errors.Is(err, ErrDamaged) {
		t.Errorf("without game numbers: %d to %d, %v", first, last, err)
	}
}

func TestSpanOfALargeFooter(t *testing.T) {
	type numbered struct {
		Game uint64 `parquet:"game"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[numbered](&file, parquet.Compression(&zstd.Codec{}), parquet.KeyValueMetadata("notes", strings.Repeat("x", 10*usualTail)))
	if _, err := w.Write([]numbered{{7}, {300}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if first, last, err := Span(path); err != nil || first != 7 || last != 300 {
		t.Errorf("%d to %d, %v", first, last, err)
	}
}

// A damaged footer is an error, not a panic or a large allocation.
func TestSpanOfDamage(t *testing.T) {
	whole, err := os.ReadFile(writeShard(t, t.TempDir(), randomRecords(3, 2, 5)))
	if err != nil {
		t.Fatal(err)
	}
	path, size := filepath.Join(t.TempDir(), "flipped"), len(whole)-5 // the highest byte of the footer's size
	for i := len(whole) - 3000; i < len(whole); i++ {
		if i%50 > 0 && i != size {
			continue
		}
		content := slices.Clone(whole)
		content[i] ^= 0xff
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Span(path); err != nil && !errors.Is(err, ErrDamaged) || i == size && !errors.Is(err, errSizes) {
			t.Errorf("byte %d of %d: %v", i, len(whole), err)
		}
	}
}
