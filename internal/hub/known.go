package hub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"warren/internal/selfplay"
)

// known holds every network and all settings that the hub has ever published. A valid game was played
// with these.
type known struct {
	mu          sync.Mutex
	generations map[string][]current    // of networks, by hash, newest last
	jobs        map[string]selfplay.Job // of one stage each, by the hash of the settings
	stages      map[string][]int        // that have these settings
	journal     *journal
	now         current // the network in use
	settings    string  // hashes of those in use
}

// current is the value of networkKey.
type current struct {
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
	Stage      int    `json:"stage,omitempty"` // whose settings its games have
}

// published is a line of the file publishedFile: a network or settings that the hub has published. If
// nothing is learned, generations that follow each other have the same network.
type published struct {
	Network *current `json:"network,omitempty"`
	Job     *terms   `json:"job,omitempty"`
}

const publishedFile = "published.jsonl"

// sameNetworks limits the generations of one network.
const sameNetworks = 64

func newKnown() *known {
	return &known{generations: map[string][]current{}, jobs: map[string]selfplay.Job{}, stages: map[string][]int{}}
}

// openKnown reads what earlier processes have published. It returns the number of damaged lines.
func openKnown(dir string) (k *known, damaged int, err error) {
	path := filepath.Join(dir, publishedFile)
	k = newKnown()
	err = readJournal(path, func(text []byte) error {
		if !k.read(text) {
			damaged++
		}
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("reading what was published: %w", err)
	}
	if k.journal, err = openJournal(path); err != nil {
		return nil, 0, err
	}
	return k, damaged, nil
}

// read takes over the text of a line. It reports whether the line is undamaged.
func (k *known) read(text []byte) bool {
	var p published
	if text == nil || json.Unmarshal(text, &p) != nil {
		return false
	}
	if p.Network != nil {
		k.addNetwork(*p.Network)
	}
	if p.Job != nil {
		// Settings of another version are no longer known: it may play other games by them.
		if job, err := p.Job.job(); err == nil && p.Job.Format == Format {
			k.addJob(job, p.Job.Stage)
		}
	}
	return true
}

// write adds to the file.
func (k *known) write(p published) error {
	if err := k.journal.append(p); err != nil {
		return fmt.Errorf("writing what is published: %w", err)
	}
	return nil
}

func (k *known) close() error { return k.journal.log.Close() }

// has reports whether the network is known as that of this generation and stage.
func (k *known) has(c current) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Contains(k.generations[c.Hash], c)
}

// addNetwork adds a network, unless it is known.
func (k *known) addNetwork(c current) {
	if k.has(c) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	list := append(k.generations[c.Hash], c)
	k.generations[c.Hash] = list[max(0, len(list)-sameNetworks):]
}

// addJob adds a job of one stage. It reports whether the job is new for this stage.
func (k *known) addJob(job selfplay.Job, stage int) (isNew bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, found := k.jobs[job.Settings]
	k.jobs[job.Settings] = job
	if list := k.stages[job.Settings]; !slices.Contains(list, stage) {
		k.stages[job.Settings], found = append(list, stage), false
	}
	return !found
}

// play makes c, which must be known already, the network in use.
func (k *known) play(c current) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now = c
}

// playBy makes the settings with these hashes, which must be known already, those in use.
func (k *known) playBy(settings string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.settings = settings
}

// inUse returns the network and the settings in use.
func (k *known) inUse() (network current, settings string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now, k.settings
}

// network reports whether there is such a network of that generation.
func (k *known) network(hash string, generation int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(k.generations[hash], func(c current) bool { return c.Generation == generation })
}

// together reports whether a stage of the run has both the network of that generation and the settings.
func (k *known) together(hash string, generation int, settings string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(k.generations[hash], func(c current) bool {
		return c.Generation == generation && slices.Contains(k.stages[settings], c.Stage)
	})
}

// job returns the job with these settings.
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
