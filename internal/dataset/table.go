package dataset

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"warren/data"
)

// rowGroup is the number of rows that a Parquet writer holds in memory. A file has at most 32,767 groups of rows, so
// this is for up to four billion positions.
const rowGroup = 1 << 17

// encoder writes the rows of a table.
type encoder[T any] interface {
	Write(rows []T) (int, error)
	Close() error
}

// newEncoder returns an encoder of the given format.
func newEncoder[T any](format string, w io.Writer) encoder[T] {
	if format == JSON {
		zip, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // the level is valid
		rows := json.NewEncoder(zip)
		rows.SetEscapeHTML(false)
		return &lines[T]{rows, zip}
	}
	return parquet.NewGenericWriter[T](w,
		parquet.Compression(&zstd.Codec{}),
		parquet.MaxRowsPerRowGroup(rowGroup),
		// The default has the library's version, so an update of the library would change the bytes.
		parquet.CreatedBy("warren", strconv.Itoa(data.Version), ""),
	)
}

// lines writes rows as JSON, one a line, compressed by gzip.
type lines[T any] struct {
	rows *json.Encoder
	zip  *gzip.Writer
}

func (l *lines[T]) Write(rows []T) (int, error) {
	for i := range rows {
		if err := l.rows.Encode(&rows[i]); err != nil {
			return i, err
		}
	}
	return len(rows), nil
}

func (l *lines[T]) Close() error { return l.zip.Close() }

// table is the part of a table in one split, a file that is being written.
type table[T any] struct {
	file
	out    *os.File // nil when it is closed
	buffer *bufio.Writer
	sum    hash.Hash
	rows   encoder[T]
}

// file describes a file of a data set.
type file struct {
	Name   string // with slashes, relative to the data set
	Rows   int
	Bytes  counter
	SHA256 string
}

// counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// create creates the file of a table in the data set in dir. Its name gets the ending of the format.
func create[T any](dir, name, format string) (*table[T], error) {
	name += ".parquet"
	if format == JSON {
		name = strings.TrimSuffix(name, ".parquet") + ".jsonl.gz"
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	out, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	t := &table[T]{file: file{Name: name}, out: out, sum: sha256.New()}
	t.buffer = bufio.NewWriterSize(io.MultiWriter(out, t.sum, &t.Bytes), 1<<16)
	t.rows = newEncoder[T](format, t.buffer)
	return t, nil
}

func (t *table[T]) add(rows []T) error {
	t.Rows += len(rows)
	if _, err := t.rows.Write(rows); err != nil {
		return fmt.Errorf("writing %s: %w", t.Name, err)
	}
	return nil
}

// finish completes the file and returns its description.
func (t *table[T]) finish() (file, error) {
	for _, step := range []func() error{t.rows.Close, t.buffer.Flush, t.out.Sync, t.out.Close} {
		if err := step(); err != nil {
			return file{}, fmt.Errorf("writing %s: %w", t.Name, err)
		}
	}
	t.out = nil
	t.SHA256 = hex.EncodeToString(t.sum.Sum(nil))
	return t.file, nil
}

// close closes the file, complete or not.
func (t *table[T]) close() {
	if t != nil && t.out != nil {
		t.out.Close()
	}
}
