package data

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"warren/internal/durable"
)

// ShardInfo describes a shard.
type ShardInfo struct {
	Path             string
	Arrival          uint64 // see [File.Arrival]
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
	for _, r := range records {
		if err := r.Validate(); err != nil {
			return ShardInfo{}, fmt.Errorf("writing a shard: %w", err)
		}
	}
	return storeShard(dir, arrival, records)
}

// storeShard is [WriteShard] for at least one record, all known to be valid: to validate a game is to replay it.
func storeShard(dir string, arrival uint64, records []*Record) (ShardInfo, error) {
	rows := make([]row, len(records))
	for i, r := range records {
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
		Arrival: arrival,
		First:   rows[0].Game, Last: rows[len(rows)-1].Game,
		Games: len(rows),
	}
	for i := range rows {
		info.Positions += int(rows[i].Positions)
	}
	if err := durable.WriteBytes(info.Path, file); err != nil {
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

// Shard is a verified shard in the present format, version [Version].
type Shard struct{ *File }

// OpenShard reads the shard at path and verifies all of it against the hash in its name. The error
// names the file. It wraps [ErrDamaged] if the content is not what was written, and [ErrFormat] if
// another version of the program wrote it.
func OpenShard(path string) (*Shard, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	return f.shard()
}

// shard returns f as a shard.
func (f *File) shard() (*Shard, error) {
	switch {
	case f.version > Version:
		return nil, fmt.Errorf("opening shard %s: %w: a newer program wrote it in version %d, and this one reads version %d",
			f.path, ErrFormat, f.version, Version)
	case f.version < Version:
		dir := filepath.Dir(f.path)
		if filepath.Base(dir) == "games" { // of a run
			dir = filepath.Dir(dir)
		}
		return nil, fmt.Errorf("opening shard %s: %w: an older program wrote it in version %d, and this one reads version %d; convert the games with warren convert %s",
			f.path, ErrFormat, f.version, Version, dir)
	}
	if err := hasColumns[row](f); err != nil {
		return nil, err
	}
	return &Shard{f}, nil
}

// Records yields the shard's records in ascending order of game number, decoding a few at a time.
// Each has its stored ID and is valid. Validation takes an eighth of the reading time. An invalid
// record ends the sequence with an error that names the file and wraps [ErrDamaged].
func (s *Shard) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for row, err := range Rows[row](s.File) {
			if err != nil {
				yield(nil, err)
				return
			}
			r, err := row.record()
			if err == nil {
				err = r.Validate()
			}
			if err != nil {
				yield(nil, s.damaged(err))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}
