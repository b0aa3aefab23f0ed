package hub

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"warren/internal/durable"
	"warren/internal/eval"
)

const (
	// keptNetworks is the number of networks of self-play that stay in the store, if they are not very
	// large. A game of an older network still counts. It is replayed if Options.Saved finds that network.
	keptNetworks = 16
	// keptMatchNetworks is the same for the networks of matches.
	keptMatchNetworks = 8
	// fewNetworks is the number of networks for which the store always has room: a third is for matches.
	fewNetworks = 6
	// matchPrefix is the prefix of the names of networks of matches.
	matchPrefix = "match-"
	// storing is the time that writing a network may take.
	storing = 2 * time.Minute
)

// networkStore holds the networks that workers fetch, as long as this process runs. A full store takes nothing
// at all, so old networks leave before a new one comes.
type networkStore struct {
	log     *slog.Logger
	js      jetstream.JetStream
	config  jetstream.ObjectStoreConfig
	objects jetstream.ObjectStore
	stream  jetstream.Stream // under objects

	mu          sync.Mutex
	play, match shelf
}

// shelf holds the networks of one kind. Those of matches have a shelf of their own, so that they stay as
// long as the match needs them.
type shelf struct {
	prefix string // of the names, before the hash
	most   int
	thirds int64 // part of the store's size
	list   []storedNetwork
}

// storedNetwork is a network in the store.
type storedNetwork struct {
	name, nuid string
	bytes      int64 // or a little more
}

// openNetworks makes an empty store in the place of that of an earlier process, which may be damaged or full.
func openNetworks(ctx context.Context, js jetstream.JetStream, o *Options) (*networkStore, error) {
	s := &networkStore{log: o.Log, js: js,
		play:  shelf{most: keptNetworks, thirds: 2},
		match: shelf{prefix: matchPrefix, most: keptMatchNetworks, thirds: 1},
		config: jetstream.ObjectStoreConfig{
			Bucket: networksStore, Replicas: o.Replicas, MaxBytes: o.networkBytes,
			Description: "the networks of the run",
		}}
	err := js.DeleteObjectStore(ctx, networksStore)
	if err != nil && !errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, err
	}
	if s.objects, err = js.CreateObjectStore(ctx, s.config); err != nil {
		return nil, err
	}
	s.stream, err = js.Stream(ctx, "OBJ_"+networksStore)
	return s, err
}

func metaSubject(name string) string {
	return "$O." + networksStore + ".M." + base64.URLEncoding.EncodeToString([]byte(name))
}

func pieceSubject(nuid string) string { return "$O." + networksStore + ".C." + nuid }

// withOverhead returns what a network of this size takes in the store, or a little more.
func withOverhead(size int64) int64 { return size + size/64 + 4096 }

// put stores a network unless it is there, and removes the oldest of its shelf to make room.
func (s *networkStore) put(ctx context.Context, on *shelf, n *eval.Network) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := on.prefix + n.Hash
	if i := slices.IndexFunc(on.list, func(x storedNetwork) bool { return x.name == name }); i >= 0 {
		x := on.list[i]
		on.list = append(slices.Delete(on.list, i, i+1), x) // the newest again
		return nil
	}
	f, err := durable.Open(n.Origin.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	bytes := withOverhead(info.Size())
	s.grow(ctx, fewNetworks*bytes)
	for len(on.list) > 0 && (len(on.list) >= on.most || on.bytes()+bytes > s.config.MaxBytes/3*on.thirds) {
		on.list = on.list[1:]
	}
	if err := s.sweep(ctx); err != nil {
		return fmt.Errorf("making room: %w", err)
	}
	// With a deadline, the client library does not limit the time of each piece.
	limited, cancel := context.WithTimeout(ctx, storing)
	defer cancel()
	meta := jetstream.ObjectMeta{Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: chunk}}
	o, err := s.objects.Put(limited, meta, f)
	if err != nil {
		return err
	}
	on.list = append(on.list, storedNetwork{name, o.NUID, bytes})
	return nil
}

func (on *shelf) bytes() (sum int64) {
	for _, x := range on.list {
		sum += x.bytes
	}
	return sum
}

// grow gives the store at least this size, if the disk has the space.
func (s *networkStore) grow(ctx context.Context, bytes int64) {
	if bytes <= s.config.MaxBytes {
		return
	}
	larger := s.config
	larger.MaxBytes = bytes
	if _, err := s.js.UpdateObjectStore(ctx, larger); err != nil {
		s.log.Warn("hub: there is little room for networks as large as these", "error", err)
		return
	}
	s.config = larger
}

// sweep removes from the store whatever belongs to no network on a shelf, such as the pieces of one that
// could not be written to its end.
func (s *networkStore) sweep(ctx context.Context) error {
	info, err := s.stream.Info(ctx, jetstream.WithSubjectFilter("$O."+networksStore+".>"))
	if err != nil {
		return err
	}
	// A network has one subject for its description, and one for its pieces.
	subjects := info.State.Subjects
	for _, on := range []*shelf{&s.play, &s.match} {
		for _, x := range on.list {
			delete(subjects, metaSubject(x.name))
			delete(subjects, pieceSubject(x.nuid))
		}
	}
	for subject := range subjects {
		if err := s.stream.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
			return err
		}
	}
	return nil
}
