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

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"warren/internal/durable"
)

// ErrDamaged is wrapped by every error that says that a shard does not hold what was written: a
// bit flipped, an end cut off, or content that is not that of a shard. A file that could not be
// read at all is not damaged.
var ErrDamaged = errors.New("damaged shard")

// A shard's name is games-FIRST-HASH.parquet: the lowest game number in it, eight digits or
// more, and the first 16 hexadecimal digits of the SHA-256 of the whole file. Damage has a
// chance of 2^-64 to go unnoticed, and a name is as long as a person can still read. Nothing
// else in the directory is needed to verify it.
var shardName = regexp.MustCompile(`^games-([0-9]{8,20})-([0-9a-f]{16})\.parquet$`)

// rowBatch is how many games are read from Parquet at a time.
const rowBatch = 16

// WriteShard stores the records as a new shard in dir, which must exist, and returns its path.
// The records are put into the order of their game numbers and repeated ones dropped, so the
// same set of records gives the same file under the same name. Each record must be valid; if
// one is not, nothing is written.
func WriteShard(dir string, records []*Record) (string, error) {
	if len(records) == 0 {
		return "", errors.New("writing a shard: no records")
	}
	rows := make([]row, len(records))
	for i, r := range records {
		if err := r.Validate(); err != nil {
			return "", fmt.Errorf("writing a shard: %w", err)
		}
		rows[i] = newRow(r)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Game, b.Game), cmp.Compare(a.Hash, b.Hash))
	})
	rows = slices.CompactFunc(rows, func(a, b row) bool { return a.Hash == b.Hash })

	// Encoded in memory first, since the name depends on the content.
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file,
		parquet.Compression(&zstd.Codec{}),
		// In place of the library's own version, which would change the bytes of unchanged
		// games.
		parquet.CreatedBy("warren", "1", ""),
	)
	if _, err := w.Write(rows); err != nil {
		return "", fmt.Errorf("writing a shard: %w", err)
	}
	if err := w.Close(); err != nil {
		return "", fmt.Errorf("writing a shard: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("games-%08d-%s.parquet", rows[0].Game, fileHash(file.Bytes())))
	err := durable.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(file.Bytes())
		return err
	})
	if err != nil {
		return "", err
	}
	return path, nil
}

// fileHash returns the part of the SHA-256 of a shard's bytes that its name carries.
func fileHash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Shard is a verified shard. It holds the file's bytes (some 10 kB a game at 10 visited actions
// a decision) and decodes records when they are asked for; there is nothing to close, and what
// happens to the file later does not matter. It may be used by several goroutines at once.
type Shard struct {
	path string
	file []byte
}

// OpenShard reads the shard at path and verifies all of it against the hash in its name. The
// error names the file and wraps [ErrDamaged] if that fails.
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
	return &Shard{path, b}, nil
}

// Path returns where the shard was read from.
func (s *Shard) Path() string { return s.path }

// Records yields the shard's records in ascending order of game number, decoding a few at a
// time. Each has the hash stored with it and is valid ([Record.Validate], an eighth of the time
// that reading takes). A record that is not so ends the sequence with an error that names the
// file and wraps [ErrDamaged].
func (s *Shard) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for w, err := range rowsOf[row](s) {
			if err != nil {
				yield(nil, err)
				return
			}
			r, err := w.record()
			if err == nil {
				err = r.Validate()
			}
			if err != nil {
				yield(nil, fmt.Errorf("%w %s: %w", ErrDamaged, s.path, err))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// rowsOf yields the columns of T of every row. A yielded row is overwritten by a later one.
func rowsOf[T any](s *Shard) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var reader *parquet.GenericReader[T]
		err := s.guard(func() error {
			f, err := parquet.OpenFile(bytes.NewReader(s.file), int64(len(s.file)))
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
				if err == io.EOF { // and nothing that wraps it
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

// guard calls f, which reads Parquet, and turns what goes wrong in it, panics included, into an
// error that names the file: parquet-go panics on some files that are not well formed.
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
