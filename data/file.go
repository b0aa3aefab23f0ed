package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/parquet-go/parquet-go"
	parquetformat "github.com/parquet-go/parquet-go/format"

	"warren/internal/durable"
)

// Version is the version of the format of games. To change the format, raise it, and let package
// internal/convert read the version before.
const Version = 5

// ErrDamaged is wrapped by every error for a shard whose content is not what was written: a bit is
// flipped, the end is cut off, or the content is not a shard's. A file that cannot be read at all does
// not count as damaged, nor does one of another format.
var ErrDamaged = errors.New("damaged shard")

// ErrFormat is wrapped by the error for games in the format of another version.
var ErrFormat = errors.New("another version's format")

// A shard's name is games-FIRST-HASH.parquet: the lowest game number in it, with eight digits or
// more, and the first 16 hexadecimal digits of the SHA-256 of the whole file. Damage goes unnoticed
// with a chance of 2^-64. Nothing else in the directory is needed to verify a shard.
var shardName = regexp.MustCompile(`^games-([0-9]{8,20})-([0-9a-f]{16})\.parquet$`)

// maxFile is the largest size of a shard, in bytes, a hundred times that of large ones.
const maxFile = 4 << 30

// rowBatch is the number of games that are read from Parquet at a time.
const rowBatch = 16

// Keys of a shard's metadata.
const (
	versionKey = "warren.version" // absent in version 1
	arrivalKey = "warren.arrival" // see File.Arrival; absent in version 1
)

// File is a verified shard in the format of any version up to the present one. It holds the file's
// bytes (some 10 kB a game with 10 visited actions per decision). There is nothing to close, and later
// changes of the file have no effect. Several goroutines may use it at once.
type File struct {
	path    string
	content []byte
	version int
	arrival uint64
}

// OpenFile reads the shard at path and verifies it, whatever the version of its format. Its errors are
// those of [OpenShard].
func OpenFile(path string) (*File, error) {
	content, err := durable.ReadFile(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("opening shard: %w", err)
	}
	return newFile(path, content)
}

// newFile verifies content as that of the file at path.
func newFile(path string, content []byte) (*File, error) {
	name := shardName.FindStringSubmatch(filepath.Base(path))
	if name == nil {
		return nil, fmt.Errorf("opening %s: not a shard's name (games-NUMBER-HASH.parquet), so its content cannot be verified", path)
	}
	if fileHash(content) != name[2] {
		return nil, fmt.Errorf("%w %s: the content (%d bytes) does not match the hash in the name", ErrDamaged, path, len(content))
	}
	f := &File{path: path, content: content, version: 1}
	return f, f.readMetadata()
}

// Version returns the version of the file's format, from 1.
func (f *File) Version() int { return f.version }

// Arrival returns the shard's place in the order of arrival, from 0 for the oldest. See the
// package's comment.
func (f *File) Arrival() uint64 { return f.arrival }

// readMetadata sets the version and the arrival number.
func (f *File) readMetadata() error {
	return f.guard(func() error {
		if err := checkFooter(f.content); err != nil {
			return err
		}
		p, err := f.open()
		if err != nil {
			return err
		}
		if err := checkPages(p.Metadata(), f.content); err != nil {
			return err
		}
		if value, ok := p.Lookup(versionKey); ok {
			if f.version, err = strconv.Atoi(value); err != nil || f.version < 1 {
				return fmt.Errorf("%.20q is not a format version", value)
			}
		}
		if value, ok := p.Lookup(arrivalKey); ok {
			if f.arrival, err = strconv.ParseUint(value, 10, 64); err != nil {
				return fmt.Errorf("%.20q is not an arrival number", value)
			}
		}
		return nil
	})
}

// hasColumns returns an error that wraps [ErrFormat] unless the file has exactly the columns of T, a
// struct with tags of package parquet.
func hasColumns[T any](f *File) error {
	same := false
	err := f.guard(func() error {
		p, err := f.open()
		same = err == nil && parquet.EqualNodes(p.Schema(), parquet.SchemaOf(new(T)))
		return err
	})
	if err == nil && !same {
		err = fmt.Errorf("opening shard %s: %w: its columns are not those of version %d", f.path, ErrFormat, f.version)
	}
	return err
}

// Rows yields the columns of T, a struct with tags of package parquet, of every row. A row may be
// kept. An error names the file, wraps [ErrDamaged] and ends the sequence.
func Rows[T any](f *File) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var reader *parquet.GenericReader[T]
		err := f.guard(func() error {
			p, err := f.open()
			if err == nil {
				reader = parquet.NewGenericReader[T](p)
			}
			return err
		})
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.guard(func() error { return reader.Close() })
		for end := false; !end; {
			rows, n := make([]T, rowBatch), 0
			err := f.guard(func() (err error) {
				n, err = reader.Read(rows)
				end = n == 0 || err == io.EOF
				if err == io.EOF { // an error that only wraps it is damage
					return nil
				}
				return err
			})
			for i := range n {
				if !yield(&rows[i], nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// open returns the file as Parquet. Every reader opens its own, because a parquet.File is not safe
// for concurrent use. A column that is not compressed as [WriteShard] does it is an error, because
// parquet-go needs unbounded memory for broken data of another codec, LZ4.
func (f *File) open() (*parquet.File, error) {
	p, err := parquet.OpenFile(bytes.NewReader(f.content), int64(len(f.content)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	for _, group := range p.Metadata().RowGroups {
		for _, column := range group.Columns {
			if codec := column.MetaData.Codec; codec != parquetformat.Zstd {
				return nil, fmt.Errorf("a column is compressed with %v, not with %v", codec, parquetformat.Zstd)
			}
		}
	}
	return p, nil
}

// guard calls read, which reads Parquet, and turns its error or panic into that of a damaged file.
// parquet-go panics on some malformed files.
func (f *File) guard(read func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = f.damaged(fmt.Errorf("%v", p))
		}
	}()
	if err := read(); err != nil {
		return f.damaged(err)
	}
	return nil
}

// damaged returns the error that the content is not what was written, for the given reason.
func (f *File) damaged(reason error) error {
	return fmt.Errorf("%w %s: %w", ErrDamaged, f.path, reason)
}
