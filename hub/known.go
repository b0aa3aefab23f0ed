package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"warren/selfplay"
)

// known holds every network and all settings that the hub has ever published. A valid game was played
// with these.
type known struct {
	mu          sync.Mutex
	generations map[string][]int // of networks, by hash, newest last
	jobs        map[string]selfplay.Job
	runs        []string // names of the run: that of the newest job, and those of an earlier version, which used the directory's
	now         current  // the network in use
	settings    string   // hash of those in use
}

// Prefixes of keys in the bucket warren. A hash follows.
const (
	jobPrefix     = "jobs."
	networkPrefix = "networks."
)

// current is the value of networkKey.
type current struct {
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
}

// published is the value of the keys under networkPrefix. If nothing is learnt, generations that follow
// each other have the same network.
type published struct {
	current
	Before []int `json:"before,omitempty"` // earlier generations of the network, newest last
}

// sameNetworks limits the generations of one network.
const sameNetworks = 64

func newKnown() *known {
	return &known{generations: map[string][]int{}, jobs: map[string]selfplay.Job{}}
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
			var p published
			if err := json.Unmarshal(entry.Value(), &p); err != nil {
				return fmt.Errorf("reading what was published, %s: %w", key, err)
			}
			for _, generation := range append(p.Before, p.Generation) {
				k.addNetwork(current{p.Hash, generation})
			}
			continue
		}
		var t terms
		if err := json.Unmarshal(entry.Value(), &t); err != nil {
			return fmt.Errorf("reading what was published, %s: %w", key, err)
		}
		// Games with settings that this program cannot read cannot be checked and are refused.
		if job, err := t.olderJob(); err == nil {
			k.addJob(job)
		}
		for _, run := range append(t.Former, t.Run) {
			k.addRun(run)
		}
	}
	return nil
}

// addNetwork returns the earlier generations of the network.
func (k *known) addNetwork(c current) (before []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, generation := range k.generations[c.Hash] {
		if generation != c.Generation {
			before = append(before, generation)
		}
	}
	before = before[max(0, len(before)-sameNetworks+1):]
	k.generations[c.Hash] = append(slices.Clone(before), c.Generation)
	return before
}

func (k *known) addJob(job selfplay.Job) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.jobs[job.Settings] = job
}

// addRun returns the other names of the run.
func (k *known) addRun(name string) (former []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !slices.Contains(k.runs, name) {
		k.runs = append(k.runs, name)
	}
	return slices.DeleteFunc(slices.Clone(k.runs), func(x string) bool { return x == name })
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

// network reports whether there is such a network of that generation.
func (k *known) network(hash string, generation int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Contains(k.generations[hash], generation)
}

// job returns the job with these settings, under the name that the run had for a game.
func (k *known) job(settings, run string) (selfplay.Job, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	job, ok := k.jobs[settings]
	if slices.Contains(k.runs, run) {
		job.Run = run
	}
	return job, ok
}

// strict decodes JSON into v and reports fields that v does not have.
func strict(content []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
