package dataset

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// A Parquet file has room for the positions of a large run: the library writes at most [parquet.MaxRowGroups] groups.
func TestRoomForPositions(t *testing.T) {
	type row struct{ N int32 }
	var file bytes.Buffer
	w := newEncoder[row](Parquet, &file)
	if _, err := w.Write(make([]row, 200_000)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if rows := f.RowGroups()[0].NumRows(); rows*parquet.MaxRowGroups < 4e9 {
		t.Errorf("groups of %d rows are room for %d", rows, rows*parquet.MaxRowGroups)
	}
}
