package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"warren/internal/durable"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

// Credential holds the hub's data about a worker. It does not contain the worker's secret key.
type Credential struct {
	Name        string     `json:"name"`
	Account     string     `json:"account"` // public key, which identifies the worker to the server
	Added       time.Time  `json:"added"`
	Connections int        `json:"connections"`       // the most at a time
	Removed     *time.Time `json:"removed,omitempty"` // nil while the worker may connect
	Reason      string     `json:"reason,omitempty"`  // of the removal, if the hub removed it

	Former []string `json:"former,omitempty"` // accounts of removed workers that had the name before

	Discard   bool       `json:"discard,omitempty"`   // its games are to leave the replay window
	Discarded *time.Time `json:"discarded,omitempty"` // when they left it
}

// workerName matches valid names of workers. They are used as file names.
var workerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$`)

// Add makes a credential for a new worker and returns the content of the worker's file: its key, and
// the hub's authority unless that is nil. The key is stored nowhere else. A name can be used again
// only after its worker has been removed.
func (k *Keys) Add(name string, connections int, authority []byte) ([]byte, error) {
	before, err := k.free(name)
	if err != nil {
		return nil, err
	}
	account, _, err := newKey(nkeys.PrefixByteAccount)
	if err != nil {
		return nil, fmt.Errorf("making the key of worker %s: %w", name, err)
	}
	user, seed, err := newKey(nkeys.PrefixByteUser)
	if err != nil {
		return nil, fmt.Errorf("making the key of worker %s: %w", name, err)
	}
	c := jwt.NewUserClaims(public(user))
	c.Name = name
	c.Permissions.Pub.Allow.Add(append([]string{gameSubject, leaseSubject}, readable...)...)
	c.Permissions.Sub.Allow.Add("_INBOX.>")
	c.AllowedConnectionTypes.Add(jwt.ConnectionTypeStandard)
	// The account's key is discarded after this signature, so the account never has another user.
	text, err := c.Encode(account)
	if err != nil {
		return nil, fmt.Errorf("signing the credential of worker %s: %w", name, err)
	}
	file, err := jwt.FormatUserConfig(text, []byte(seed))
	if err != nil {
		return nil, fmt.Errorf("writing the credential of worker %s: %w", name, err)
	}
	w := &Credential{Name: name, Account: public(account), Added: time.Now().UTC().Truncate(time.Second), Connections: connections}
	if before != nil {
		w.Former = append(before.Former, before.Account)
	}
	if err := k.save(w); err != nil {
		return nil, err
	}
	return append(file, authority...), nil
}

// CheckName returns an error that says what names a worker can have, unless it can have this one.
func CheckName(name string) error {
	if !workerName.MatchString(name) {
		return fmt.Errorf("%q is not a name for a worker: use up to 63 letters, digits, - and _", name)
	}
	return nil
}

// Free returns an error unless [Keys.Add] accepts the name.
func (k *Keys) Free(name string) error {
	_, err := k.free(name)
	return err
}

// free is Free, and returns the removed worker that had the name last; nil if there was none.
func (k *Keys) free(name string) (before *Credential, err error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	before, err = k.load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case before.Removed == nil:
		return nil, fmt.Errorf("there is a worker %s already: remove it first, or choose another name", name)
	case before.Discard && before.Discarded == nil:
		return nil, fmt.Errorf("the games of the last worker %s are not out of the replay window yet: start the run, or choose another name", name)
	}
	return before, nil
}

// existing returns a worker that has been added.
func (k *Keys) existing(name string) (*Credential, error) {
	c, err := k.load(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no worker %q: the list has the names", name)
	}
	return c, err
}

// Remove closes a worker's account. A running hub disconnects the worker within seconds.
func (k *Keys) Remove(name, reason string) error {
	c, err := k.existing(name)
	if err != nil {
		return err
	}
	if c.Removed != nil {
		return fmt.Errorf("the worker %s was removed already, on %s", name, c.Removed.Local().Format(time.DateOnly))
	}
	return k.remove(c, reason)
}

func (k *Keys) remove(c *Credential, reason string) error {
	now := time.Now().UTC().Truncate(time.Second)
	c.Removed, c.Reason = &now, reason
	return k.save(c)
}

// Discard has the games of a removed worker leave the replay window. A running hub does that within
// seconds, and otherwise the next one.
func (k *Keys) Discard(name string) error {
	c, err := k.existing(name)
	if err != nil {
		return err
	}
	if c.Removed == nil {
		return fmt.Errorf("the worker %s still plays: remove it first", name)
	}
	if c.Discard {
		return fmt.Errorf("the games of %s are discarded already", name)
	}
	c.Discard = true
	return k.save(c)
}

// List returns all workers ever added, sorted by name. If several had the same name, it returns the
// last of them.
func (k *Keys) List() ([]*Credential, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	info, err := os.Stat(k.workers())
	if err != nil {
		return nil, fmt.Errorf("listing the workers: %w", err)
	}
	if k.list != nil && info.ModTime().Equal(k.listed) {
		return slices.Clone(k.list), nil
	}
	list, err := k.read()
	if err != nil {
		return nil, err
	}
	// File times are coarse: a directory that has just changed may change again at the same time.
	k.list, k.listed = nil, info.ModTime()
	if time.Since(k.listed) > 2*time.Second {
		k.list = list
	}
	return slices.Clone(list), nil
}

// read reads the files of all workers.
func (k *Keys) read() ([]*Credential, error) {
	entries, err := os.ReadDir(k.workers())
	if err != nil {
		return nil, fmt.Errorf("listing the workers: %w", err)
	}
	var list []*Credential
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !workerName.MatchString(name) {
			continue
		}
		c, err := k.load(name)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *Credential) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

func (k *Keys) file(name string) string { return filepath.Join(k.workers(), name+".json") }

func (k *Keys) load(name string) (*Credential, error) {
	if !workerName.MatchString(name) {
		return nil, fs.ErrNotExist
	}
	content, err := durable.ReadFile(k.file(name), durable.Document)
	if err != nil {
		return nil, fmt.Errorf("reading about worker %s: %w", name, err)
	}
	c, err := parseCredential(name, content)
	if err != nil {
		return nil, fmt.Errorf("reading about worker %s in %s: %w; copy the file from a backup, or delete it and add the worker again", name, k.file(name), err)
	}
	return c, nil
}

// parseCredential reads the file of the worker with this name.
func parseCredential(name string, content []byte) (*Credential, error) {
	c := &Credential{}
	if err := strict(content, c); err != nil {
		return nil, err
	}
	if c.Name != name || !nkeys.IsValidPublicAccountKey(c.Account) || c.Connections < 1 {
		return nil, errors.New("its name, its account or its number of connections is damaged")
	}
	return c, nil
}

func (k *Keys) save(c *Credential) error {
	content, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("writing about worker %s: %w", c.Name, err)
	}
	return durable.WriteBytes(k.file(c.Name), content)
}
