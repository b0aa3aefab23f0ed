package data

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	parquetformat "github.com/parquet-go/parquet-go/format"

	"warren/internal/durable"
)

// ErrDamaged is wrapped by every error for a shard whose content is not what was written: a bit is
// flipped, the end is cut off, or the content is not a shard's. A file that cannot be read at all does
// not count as damaged, nor does one of a newer format.
var ErrDamaged = errors.New("damaged shard")

// A shard's name is games-FIRST-HASH.parquet: the lowest game number in it, with eight digits or
// more, and the first 16 hexadecimal digits of the SHA-256 of the whole file. Damage goes unnoticed
// with a chance of 2^-64. Nothing else in the directory is needed to verify a shard.
var shardName = regexp.MustCompile(`^games-([0-9]{8,20})-([0-9a-f]{16})\.parquet$`)

// rowBatch is the number of games that are read from Parquet at a time.
const rowBatch = 16

// ShardInfo describes a shard.
type ShardInfo struct {
	Path             string
	Version          int    // of its format
	Arrival          uint64 // see [Shard.Arrival]
	First, Last      uint64 // lowest and highest game number
	Games, Positions int
}

// WriteShard stores records as a new shard with the given arrival number in dir, which must exist.
// It sorts them by game number and drops repeated ones, so the same records with the same arrival
// number always make the same file under the same name. Every record must be valid. If one is not,
// nothing is written.
func WriteShard(dir string, arrival uint64, records []*Record) (ShardInfo, error) {
	if len(records) == 0 {
		return ShardInfo{}, errors.New("writing a shard: no records")
	}
	rows := make([]row, len(records))
	for i, r := range records {
		if err := r.Validate(); err != nil {
			return ShardInfo{}, fmt.Errorf("writing a shard: %w", err)
		}
		rows[i] = rowOf(r)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Game, b.Game), cmp.Compare(a.Hash, b.Hash))
	})
	rows = slices.CompactFunc(rows, func(a, b row) bool { return a.Hash == b.Hash })

	file, err := encodeRows(rows, Version, arrival)
	if err != nil {
		return ShardInfo{}, fmt.Errorf("writing a shard: %w", err)
	}
	info := ShardInfo{
		Path:    filepath.Join(dir, fmt.Sprintf("games-%08d-%s.parquet", rows[0].Game, fileHash(file))),
		Version: Version, Arrival: arrival,
		First: rows[0].Game, Last: rows[len(rows)-1].Game,
		Games: len(rows),
	}
	for i := range rows {
		info.Positions += int(rows[i].Positions)
	}
	err = durable.WriteFile(info.Path, func(w io.Writer) error {
		_, err := w.Write(file)
		return err
	})
	if err != nil {
		return ShardInfo{}, err
	}
	return info, nil
}

// encodeRows returns the content of a shard. It works in memory, because the name depends on the
// content.
func encodeRows[T any](rows []T, version int, arrival uint64) ([]byte, error) {
	var file bytes.Buffer
	w := parquet.NewGenericWriter[T](&file,
		parquet.Compression(&zstd.Codec{}),
		// The default has the library's version, so an update of the library would change the
		// bytes of unchanged games.
		parquet.CreatedBy("warren", strconv.Itoa(version), ""),
		parquet.KeyValueMetadata(versionKey, strconv.Itoa(version)),
		parquet.KeyValueMetadata(arrivalKey, strconv.FormatUint(arrival, 10)),
	)
	if _, err := w.Write(rows); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// fileHash returns the part of the SHA-256 of a shard's bytes that is in its name.
func fileHash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Shard is a verified shard. It holds the file's bytes (some 10 kB a game with 10 visited actions
// per decision) and decodes records on demand. There is nothing to close, and later changes of the
// file have no effect. Several goroutines may use it at once.
type Shard struct {
	path    string
	file    []byte
	version int
	arrival uint64
}

// OpenShard reads the shard at path and verifies all of it against the hash in its name. The error
// names the file. It wraps [ErrDamaged] if the content is not what was written, and [ErrFormat] if
// this program does not know the format.
func OpenShard(path string) (*Shard, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("opening shard: %w", err)
	}
	return newShard(path, b)
}

// newShard verifies b as the content of the file at path.
func newShard(path string, b []byte) (*Shard, error) {
	name := shardName.FindStringSubmatch(filepath.Base(path))
	if name == nil {
		return nil, fmt.Errorf("opening %s: not a shard's name (games-NUMBER-HASH.parquet), so its content cannot be verified", path)
	}
	if fileHash(b) != name[2] {
		return nil, fmt.Errorf("%w %s: the content (%d bytes) does not match the hash in the name", ErrDamaged, path, len(b))
	}
	s := &Shard{path: path, file: b}
	if err := s.readMetadata(); err != nil {
		return nil, err
	}
	return s, nil
}

// Version returns the format version that the shard was written in.
func (s *Shard) Version() int { return s.version }

// Arrival returns the shard's place in the order of arrival, from 0 for the oldest. See the
// package's comment.
func (s *Shard) Arrival() uint64 { return s.arrival }

// Records yields the shard's records in ascending order of game number, decoding a few at a time.
// Each has its stored ID and is valid. Validation takes an eighth of the reading time. An invalid
// record ends the sequence with an error that names the file and wraps [ErrDamaged].
func (s *Shard) Records() iter.Seq2[*Record, error] { return formats[s.version].records(s) }

// open returns the file as Parquet. Every reader opens its own, because a parquet.File is not safe
// for concurrent use. A column that is not compressed as [WriteShard] does it is an error, because
// parquet-go needs unbounded memory for broken data of another codec, LZ4.
func (s *Shard) open() (*parquet.File, error) {
	f, err := parquet.OpenFile(bytes.NewReader(s.file), int64(len(s.file)))
	if err != nil {
		return nil, err
	}
	for _, group := range f.Metadata().RowGroups {
		for _, column := range group.Columns {
			if codec := column.MetaData.Codec; codec != parquetformat.Zstd {
				return nil, fmt.Errorf("a column is compressed with %v, not with %v", codec, parquetformat.Zstd)
			}
		}
	}
	return f, nil
}

// rowsOf yields the columns of T of every row. A row is valid only until the next is yielded.
func rowsOf[T any](s *Shard) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var reader *parquet.GenericReader[T]
		err := s.guard(func() error {
			f, err := s.open()
			if err == nil {
				reader = parquet.NewGenericReader[T](f)
			}
			return err
		})
		if err != nil {
			yield(nil, err)
			return
		}
		defer s.guard(func() error { return reader.Close() })
		for end := false; !end; {
			rows, n := make([]T, rowBatch), 0
			err := s.guard(func() (err error) {
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

// guard calls f, which reads Parquet, and turns its error or panic into an error that names the
// file. parquet-go panics on some malformed files.
func (s *Shard) guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w %s: %v", ErrDamaged, s.path, p)
		}
	}()
	if err := f(); err != nil {
		return fmt.Errorf("%w %s: %w", ErrDamaged, s.path, err)
	}
	return nil
}
