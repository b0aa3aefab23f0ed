package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"warren/selfplay"
)

// known holds every network and all settings that the hub has ever published. A valid game was played
// with these.
type known struct {
	mu          sync.Mutex
	generations map[string]int // of networks, by hash
	jobs        map[string]selfplay.Job
	now         current // the network in use
	settings    string  // hash of those in use
}

// Prefixes of keys in the bucket warren. A hash follows.
const (
	jobPrefix     = "jobs."
	networkPrefix = "networks."
)

// current is the value of networkKey and of the keys under networkPrefix.
type current struct {
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
}

func newKnown() *known {
	return &known{generations: map[string]int{}, jobs: map[string]selfplay.Job{}}
}

// restore reads the networks and settings that earlier processes published.
func (k *known) restore(ctx context.Context, kv jetstream.KeyValue) error {
	keys, err := kv.Keys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading what was published: %w", err)
	}
	for _, key := range keys {
		isJob, isNetwork := strings.HasPrefix(key, jobPrefix), strings.HasPrefix(key, networkPrefix)
		if !isJob && !isNetwork {
			continue
		}
		entry, err := kv.Get(ctx, key)
		if err != nil {
			return fmt.Errorf("reading what was published, %s: %w", key, err)
		}
		if isNetwork {
			var c current
			if err := json.Unmarshal(entry.Value(), &c); err != nil {
				return fmt.Errorf("reading what was published, %s: %w", key, err)
			}
			k.addNetwork(c)
			continue
		}
		var t terms
		if err := json.Unmarshal(entry.Value(), &t); err != nil {
			return fmt.Errorf("reading what was published, %s: %w", key, err)
		}
		// Games with settings that this program does not know cannot be checked and are refused.
		if job, err := t.job(); err == nil {
			k.addJob(job)
		}
	}
	return nil
}

func (k *known) addNetwork(c current) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.generations[c.Hash] = c.Generation
}

func (k *known) addJob(job selfplay.Job) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.jobs[job.Settings] = job
}

// play makes c, which must be known already, the network in use.
func (k *known) play(c current) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now = c
}

// playBy makes the settings with this hash, which must be known already, those in use.
func (k *known) playBy(settings string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.settings = settings
}

func (k *known) playing() current {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

func (k *known) playingBy() (settings string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.settings
}

func (k *known) network(hash string) (generation int, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	generation, ok = k.generations[hash]
	return generation, ok
}

func (k *known) job(settings string) (selfplay.Job, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	job, ok := k.jobs[settings]
	return job, ok
}

// strict decodes JSON into v and reports fields that v does not have.
func strict(content []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
