package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Earlier versions kept the leases and what was published in JetStream. A hub moves them into its own
// files when it starts.

const (
	leasesBucket  = "leases"
	jobPrefix     = "jobs."     // of keys in the bucket warren; a hash follows
	networkPrefix = "networks." // of keys in the bucket warren; a hash follows
)

// entries reads all values of a bucket, by key.
func entries(ctx context.Context, kv jetstream.KeyValue) (map[string][]byte, error) {
	all, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, err
	}
	defer all.Stop()
	values := map[string][]byte{}
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case entry, ok := <-all.Updates():
			if !ok {
				return nil, errors.New("the connection ended")
			}
			if entry == nil { // all have been read
				return values, nil
			}
			values[entry.Key()] = entry.Value()
		}
	}
}

// copyLeases copies the leases of the bucket, which are being played, into the file. The bucket stays until the games
// in the stream have been taken, as a sign that they are nowhere else. Until then it may be copied again.
func (h *Hub) copyLeases(ctx context.Context) error {
	kv, err := h.js.KeyValue(ctx, leasesBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	values, err := entries(ctx, kv)
	if err != nil {
		return err
	}
	var list []any
	for _, key := range slices.Sorted(maps.Keys(values)) {
		x := &lease{}
		if err := json.Unmarshal(values[key], x); err != nil || x.Count < 1 || x.Count > most {
			h.o.Log.Warn("hub: a lease is damaged; games with its numbers are refused", "key", key)
			continue
		}
		list = append(list, x)
	}
	return appendTo(h.leases.path, list...)
}

// dropLeases removes the bucket of an earlier version, once all games in the stream have been taken.
func (h *Hub) dropLeases(ctx context.Context) error {
	err := h.js.DeleteKeyValue(ctx, leasesBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return err
}

// movePublished copies what the bucket says was published into the file, unless there is one. It is called
// before the file is opened.
func (h *Hub) movePublished(ctx context.Context) error {
	path := filepath.Join(h.o.Keys.dir, publishedFile)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	values, err := entries(ctx, h.bucket)
	if err != nil {
		return err
	}
	var list []any
	for key, value := range values {
		var err error
		switch {
		case strings.HasPrefix(key, networkPrefix):
			var x struct {
				current
				Before []int `json:"before"`
			}
			err = json.Unmarshal(value, &x)
			for _, generation := range append(x.Before, x.Generation) {
				list = append(list, published{Network: &current{Hash: x.Hash, Generation: generation}})
			}
		case strings.HasPrefix(key, jobPrefix):
			var t terms
			err = json.Unmarshal(value, &t)
			list = append(list, published{Job: &t})
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return appendTo(path, list...)
}
