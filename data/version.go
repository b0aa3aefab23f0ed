package data

import (
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// Version is the format version of the shards that this program writes.
const Version = 4

// ErrFormat is wrapped by the error for an undamaged shard in a format that this program does not
// know.
var ErrFormat = errors.New("unknown shard format")

// format reads the rows of one format version.
type format struct {
	schema  *parquet.Schema
	records func(*Shard) iter.Seq2[*Record, error]
}

// formats has a line for each version. To add a field to row, begin a new version: copy the old row
// and its record method to a file like v1.go, raise [Version], and add a line here.
var formats = map[int]format{
	1: formatOf[rowV1](),
	2: formatOf[rowV2](),
	3: formatOf[rowV3](),
	4: formatOf[row](),
}

// decoder is a pointer to a row of type T.
type decoder[T any] interface {
	*T
	record() (*Record, error)
}

func formatOf[T any, D decoder[T]]() format {
	return format{parquet.SchemaOf(new(T)), func(s *Shard) iter.Seq2[*Record, error] {
		return func(yield func(*Record, error) bool) {
			for row, err := range rowsOf[T](s) {
				if err != nil {
					yield(nil, err)
					return
				}
				r, err := D(row).record()
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
	}}
}

// Keys of a shard's metadata.
const (
	versionKey = "warren.version" // absent in version 1
	arrivalKey = "warren.arrival" // see Shard.Arrival; absent in version 1
)

// readMetadata sets the version and the arrival number from the file, and checks that the columns
// are those of the version.
func (s *Shard) readMetadata() error {
	var columns parquet.Node
	metadata := map[string]string{}
	err := s.guard(func() error {
		f, err := s.open()
		if err != nil {
			return err
		}
		columns = f.Schema()
		for _, key := range []string{versionKey, arrivalKey} {
			if value, ok := f.Lookup(key); ok {
				metadata[key] = value
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.version = 1
	if value, ok := metadata[versionKey]; ok {
		s.version, err = strconv.Atoi(value)
		if err != nil || s.version < 1 {
			return fmt.Errorf("%w %s: %q is not a format version", ErrDamaged, s.path, value)
		}
	}
	if s.version > Version {
		return fmt.Errorf("opening shard %s: %w: a newer program wrote it in version %d, and this one reads versions 1 to %d",
			s.path, ErrFormat, s.version, Version)
	}
	if value, ok := metadata[arrivalKey]; ok {
		if s.arrival, err = strconv.ParseUint(value, 10, 64); err != nil {
			return fmt.Errorf("%w %s: %q is not an arrival number", ErrDamaged, s.path, value)
		}
	}
	same := false
	err = s.guard(func() error {
		same = parquet.EqualNodes(columns, formats[s.version].schema)
		return nil
	})
	if err == nil && !same {
		err = fmt.Errorf("opening shard %s: %w: its columns are not those of version %d", s.path, ErrFormat, s.version)
	}
	return err
}
