package hub

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"warren/internal/durable"
)

// filed is a line of filedFile: the numbers of a lease whose games are all in shards. The bucket of
// leases then no longer holds it, so the bucket has only the leases that are being played.
type filed struct {
	First   uint64 `json:"first"`
	Count   int    `json:"count"`
	Account string `json:"account"`
}

// filedFile lists in the hub's directory who played the games in the shards.
const filedFile = "leases.jsonl"

// fileLeases moves leases from the bucket to the file when all their games are in shards.
func (h *Hub) fileLeases(ctx context.Context) error {
	log, err := durable.OpenLog(filepath.Join(h.o.Keys.dir, filedFile))
	if err != nil {
		return err
	}
	defer log.Close()
	bucket, err := h.js.Stream(ctx, "KV_"+leasesBucket)
	if err != nil {
		return fmt.Errorf("opening the bucket of leases: %w", err)
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		full := h.leases.complete()
		if err := writeFiled(log, full); err != nil {
			h.o.Log.Warn("hub: leases cannot be filed yet", "error", err)
			full = nil
		}
		h.leases.filed(len(full))
		for _, x := range full {
			if err := bucket.Purge(ctx, jetstream.WithPurgeSubject("$KV."+leasesBucket+"."+leaseName(x.First))); err != nil && ctx.Err() == nil {
				h.o.Log.Debug("hub: removing a lease", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// complete returns the leases whose games are all in shards.
func (l *leases) complete() []*lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.full)
}

// filed forgets the first n of these.
func (l *leases) filed(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full = slices.Delete(l.full, 0, n)
}

func writeFiled(log *durable.Log, full []*lease) error {
	if len(full) == 0 {
		return nil
	}
	for _, x := range full {
		line, err := json.Marshal(filed{x.First, x.Count, x.Account})
		if err != nil {
			return err
		}
		if err := log.Append(line); err != nil {
			return err
		}
	}
	return log.Sync()
}

// readFiled calls yield for every line of the file in the hub's directory.
func readFiled(dir string, yield func(filed)) error {
	f, err := os.Open(filepath.Join(dir, filedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading who played the games: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var x filed
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			return fmt.Errorf("reading who played the games, %s: %w", f.Name(), err)
		}
		yield(x)
	}
	return lines.Err()
}
