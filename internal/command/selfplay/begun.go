package selfplay

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"warren/data"
	"warren/internal/durable"
)

// claim makes the directory of the games and locks it, so that no other process plays into it until
// the returned file is closed.
func claim(dir string) (io.Closer, error) {
	if _, err := os.Stat(filepath.Join(dir, "..", "learner")); err == nil {
		return nil, fmt.Errorf("%s belongs to the run %s: choose another --out", dir, filepath.Dir(dir))
	}
	shards, err := durable.List(dir, "games-*")
	if err != nil {
		return nil, err
	}
	if len(shards) == 0 {
		if err := durable.Fresh(dir); err != nil {
			return nil, err
		}
	}
	lock, err := durable.LockDir(dir, fmt.Sprintf("another process plays games into %s: wait for it, stop it, or choose another --out", dir))
	if err != nil {
		return nil, err
	}
	return lock, nil
}

// begun describes the games of a directory: what must be the same for all of them.
type begun struct {
	seed              uint64
	network, settings string // hashes
}

// check returns an error if a shard of the directory has games of another kind. All games of a
// shard were played by one process, so the first of each is enough.
func (b *begun) check(dir string, index *data.Index) error {
	for _, info := range index.Shards {
		shard, err := data.OpenShard(info.Path)
		if err != nil {
			return err
		}
		for r, err := range shard.Records() {
			if err == nil {
				err = b.same(dir, r)
			}
			if err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// same returns an error if the game is of another kind.
func (b *begun) same(dir string, r *data.Record) error {
	for _, c := range []struct {
		name        string
		before, now any
	}{
		{"seed", r.Seed, b.seed},
		{"network with the hash", short(r.Network), short(b.network)},
		{"settings of selfplay and search with the hash", short(r.Settings), short(b.settings)},
	} {
		if c.before != c.now {
			return fmt.Errorf("%s was begun with the %s %v, and now it is %v: use the same, and the same version of the program, or choose another --out", dir, c.name, c.before, c.now)
		}
	}
	return nil
}

// short returns the beginning of a hash, which is enough to tell it from others.
func short(hash string) string { return hash[:min(len(hash), 16)] }

// full reports whether the directory has all games with numbers below count; 0 sets no limit.
func full(index *data.Index, count uint64) bool {
	for number := range count {
		if !index.Has(number) {
			return false
		}
	}
	return count > 0
}
