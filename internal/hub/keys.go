package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"warren/internal/durable"
)

// Keys holds the keys of a run's hub and the list of its workers, both stored in a directory. The
// operator's key signs the accounts. There is one account for the server's own events, one for the
// hub and one for each worker. Only the hub's account has JetStream.
type Keys struct {
	dir                   string
	operator, system, hub nkeys.KeyPair

	mu     sync.Mutex
	list   []*Credential // the workers as of the last change of the directory; nil if it must be read
	listed time.Time
}

// seeds is the content of the key file. Only the owner may read it.
type seeds struct {
	Operator string `json:"operator"`
	System   string `json:"system"`
	Hub      string `json:"hub"`
}

const keysFile = "keys.json"

// HasKeys reports whether there are keys in dir. Whoever opens them says why they cannot be read.
func HasKeys(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, keysFile))
	return !errors.Is(err, fs.ErrNotExist)
}

// OpenKeys reads the keys in dir. It makes the directory and new keys if there are none, and has git
// ignore all that is in it.
func OpenKeys(dir string) (*Keys, error) {
	k := &Keys{dir: dir}
	if err := os.MkdirAll(k.workers(), 0o700); err != nil {
		return nil, fmt.Errorf("making the hub's directory: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, fmt.Errorf("closing the hub's directory to others: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".gitignore")); errors.Is(err, fs.ErrNotExist) {
		if err := durable.WriteBytes(filepath.Join(dir, ".gitignore"), []byte("*\n")); err != nil {
			return nil, fmt.Errorf("hiding the hub's directory from git: %w", err)
		}
	}
	content, err := durable.ReadFile(filepath.Join(dir, keysFile), durable.Document)
	if errors.Is(err, fs.ErrNotExist) {
		content, err = newSeeds(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the hub's keys: %w", err)
	}
	var s seeds
	damaged := func(err error) error {
		return fmt.Errorf("reading the hub's keys, %s: %w; copy the file from a backup, or delete the directory %s and add all workers again",
			filepath.Join(dir, keysFile), err, dir)
	}
	if err := strict(content, &s); err != nil {
		return nil, damaged(err)
	}
	for _, x := range []struct {
		key  *nkeys.KeyPair
		seed string
	}{{&k.operator, s.Operator}, {&k.system, s.System}, {&k.hub, s.Hub}} {
		if *x.key, err = nkeys.FromSeed([]byte(x.seed)); err != nil {
			return nil, damaged(err)
		}
	}
	return k, nil
}

// newSeeds makes new keys and stores them in dir.
func newSeeds(dir string) ([]byte, error) {
	var s seeds
	for _, x := range []struct {
		seed *string
		kind nkeys.PrefixByte
	}{{&s.Operator, nkeys.PrefixByteOperator}, {&s.System, nkeys.PrefixByteAccount}, {&s.Hub, nkeys.PrefixByteAccount}} {
		_, seed, err := newKey(x.kind)
		if err != nil {
			return nil, err
		}
		*x.seed = seed
	}
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, err
	}
	return content, durable.WriteBytes(filepath.Join(dir, keysFile), content)
}

func newKey(kind nkeys.PrefixByte) (nkeys.KeyPair, string, error) {
	key, err := nkeys.CreatePair(kind)
	if err != nil {
		return nil, "", err
	}
	seed, err := key.Seed()
	return key, string(seed), err
}

func (k *Keys) workers() string { return filepath.Join(k.dir, "workers") }

func public(key nkeys.KeyPair) string {
	p, err := key.PublicKey()
	if err != nil {
		panic(err) // a key pair made from a seed has a public key
	}
	return p
}

// claims returns the operator's claims, signed.
func (k *Keys) claims() (string, error) {
	c := jwt.NewOperatorClaims(public(k.operator))
	c.Name = "warren"
	c.SystemAccount = public(k.system)
	text, err := c.Encode(k.operator)
	if err != nil {
		return "", fmt.Errorf("signing the operator: %w", err)
	}
	return text, nil
}

// sign returns the claims of an account, signed.
func (k *Keys) sign(c *jwt.AccountClaims) (string, error) {
	text, err := c.Encode(k.operator)
	if err != nil {
		return "", fmt.Errorf("signing the account %s: %w", c.Name, err)
	}
	return text, nil
}

// hubAccount returns the claims of the hub's account. It has JetStream and exports to the workers the
// subjects that they need.
func (k *Keys) hubAccount() *jwt.AccountClaims {
	c := jwt.NewAccountClaims(public(k.hub))
	c.Name = "hub"
	c.Limits.JetStreamLimits = jwt.JetStreamLimits{
		MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit,
	}
	for _, s := range []string{gameSubject, leaseSubject} {
		c.Exports.Add(&jwt.Export{Name: s, Subject: jwt.Subject(s + ".*"), Type: jwt.Service, AccountTokenPosition: accountToken})
	}
	for _, s := range readable {
		c.Exports.Add(&jwt.Export{Name: s, Subject: jwt.Subject(s), Type: jwt.Service})
	}
	return c
}

// systemAccount returns the claims of the account for the server's own events.
func (k *Keys) systemAccount() *jwt.AccountClaims {
	c := jwt.NewAccountClaims(public(k.system))
	c.Name = "system"
	return c
}

// workerAccount returns the claims of a worker's account. The account has no JetStream of its own and
// no exports. It is closed when the worker is removed.
func (k *Keys) workerAccount(w *Credential) *jwt.AccountClaims {
	c := jwt.NewAccountClaims(w.Account)
	c.Name = w.Name
	c.Limits = jwt.OperatorLimits{
		NatsLimits:    jwt.NatsLimits{Subs: 64, Data: jwt.NoLimit, Payload: maxGame + 4096},
		AccountLimits: jwt.AccountLimits{Imports: jwt.NoLimit, Conn: int64(w.Connections), DisallowBearer: true},
	}
	add := func(theirs, ours string) {
		c.Imports.Add(&jwt.Import{
			Name: ours, Account: public(k.hub), Type: jwt.Service,
			Subject: jwt.Subject(theirs), LocalSubject: jwt.RenamingSubject(ours),
		})
	}
	for _, s := range []string{gameSubject, leaseSubject} {
		add(s+"."+w.Account, s)
	}
	for _, s := range readable {
		add(s, s)
	}
	if w.Removed != nil {
		// The account never has another user. A date far ahead does not depend on this machine's clock.
		c.RevokeAt(jwt.All, time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	return c
}

// user makes a credential for this process in one of the run's own accounts.
func (k *Keys) user(name string, account nkeys.KeyPair) (nats.Option, error) {
	key, seed, err := newKey(nkeys.PrefixByteUser)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	c := jwt.NewUserClaims(public(key))
	c.Name = name
	text, err := c.Encode(account)
	if err != nil {
		return nil, fmt.Errorf("signing a credential: %w", err)
	}
	return nats.UserJWTAndSeed(text, seed), nil
}
