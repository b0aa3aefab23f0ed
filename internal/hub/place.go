package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"warren/internal/durable"
)

// place identifies a directory on its disk. It stays the same when the directory or those above it are
// renamed or moved on that disk, or when it is reached by a link. A copy is in another place.
type place struct {
	Inode uint64 `json:"inode"`
	Born  int64  `json:"born"` // in nanoseconds since 1970; 0 if the file system does not say
}

// same reports whether two places are one. The number of the device is not compared, because it may
// change when the machine starts again.
func (p place) same(other place) bool {
	return p.Inode == other.Inode && (p.Born == other.Born || p.Born == 0 || other.Born == 0)
}

const placeFile = "place.json"

// Settle returns an error if the hub's directory is a copy. A copy has the keys of the original, so the
// workers could not tell the two hubs apart and might play the same numbers for both. The word of the
// user that this is the original makes it so from then on: a backup that takes the place of what was lost, or a
// directory that was moved from another disk.
func (k *Keys) Settle(original bool) error {
	here, err := placeOf(k.dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("finding the place of the hub's directory: %w", err)
	}
	path := filepath.Join(k.dir, placeFile)
	content, err := durable.ReadFile(path, durable.Document)
	switch {
	case errors.Is(err, fs.ErrNotExist): // the hub is new, or of an earlier version
	case err != nil:
		return fmt.Errorf("reading the place of the hub's directory: %w", err)
	default:
		var before place
		if strict(content, &before) == nil && before.same(here) {
			return nil
		}
		if !original {
			return fmt.Errorf("the hub's directory %s is a copy, or was moved from another disk: if no other copy will be used, say --original once; for a run of its own, delete %s and add its workers",
				k.dir, k.dir)
		}
	}
	content, err = json.Marshal(here)
	if err != nil {
		return err
	}
	return durable.WriteBytes(path, content)
}
