package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"warren/internal/durable"
	"warren/internal/eval"
	"warren/internal/selfplay"
	"warren/net"
)

// publisher publishes each new network for self-play to the workers.
type publisher struct {
	hub      *Hub
	networks selfplay.Networks
	last     *eval.Network
}

// run publishes networks until the context ends. One that cannot be published now is published later: the
// disk may be slow for a while, and an outside server comes back.
func (p *publisher) run(ctx context.Context) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			err := p.publish(ctx)
			if err == nil || ctx.Err() != nil {
				continue
			}
			p.hub.o.Log.Warn("hub: a network cannot be published yet", "error", err)
			tick.Reset(time.Second)
		}
	}
}

// publish publishes the latest network unless that has been done.
func (p *publisher) publish(ctx context.Context) error {
	n := p.networks.Latest()
	if n == p.last {
		return nil
	}
	c := current{Hash: n.Hash, Generation: n.Origin.Generation, Stage: n.Origin.Stage}
	if !isUntrained(c) {
		if err := p.hub.networks.put(ctx, &p.hub.networks.play, n); err != nil {
			return fmt.Errorf("publishing the network of generation %d: %w", c.Generation, err)
		}
	}
	// The order matters: when a worker learns of a network, the hub must accept its games already.
	if known := p.hub.known; !known.has(c) {
		if err := known.write(published{Network: &c}); err != nil {
			return err
		}
		known.addNetwork(c)
	}
	if err := putJSON(ctx, p.hub.bucket, networkKey, c); err != nil {
		return err
	}
	p.hub.known.play(c)
	p.last = n
	return nil
}

// untrained is the network of generation 0. It has no file.
var untrained = eval.Untrained()

func isUntrained(c current) bool { return c.Hash == untrained.Hash }

// opener opens networks of the hub to replay games. It keeps the last one.
type opener struct {
	hub  *Hub
	last *eval.Network
}

func (o *opener) open(ctx context.Context, c current) (*eval.Network, error) {
	if isUntrained(c) {
		return untrained, nil
	}
	if o.last != nil && o.last.Hash == c.Hash {
		return o.last, nil
	}
	dir, err := networksIn(o.hub.o.Keys.dir)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	n, err := fetch(ctx, o.hub.conn, c.Hash, c, dir, o.hub.o.Open)
	if err != nil && o.hub.o.Saved != nil {
		n, err = opened(o.hub.o.Saved(c.Generation), c, o.hub.o.Open)
	}
	if err == nil {
		o.last = n
	}
	return n, err
}

// fetch reads the network of that name from the store and opens it, with a file below dir that it removes then. It reads
// single messages, because a worker may not make a consumer: with one it could choose where the server sends messages.
func fetch(ctx context.Context, conn *nats.Conn, name string, c current, dir string, open func(string) (*eval.Network, error)) (*eval.Network, error) {
	content, err := object(ctx, conn, name)
	if err != nil {
		return nil, absent{fmt.Errorf("fetching the network of generation %d: %w", c.Generation, err)}
	}
	// Self-play and a match may fetch networks of one generation at the same time.
	own, err := os.MkdirTemp(dir, "")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the network of generation %d: %w", c.Generation, err)
	}
	defer os.RemoveAll(own)
	path := filepath.Join(own, net.GenerationName(c.Generation)+".safetensors")
	if err := durable.WriteBytes(path, content); err != nil {
		return nil, err
	}
	return opened(path, c, open)
}

// opened opens the network in a file, which must be c.
func opened(path string, c current, open func(path string) (*eval.Network, error)) (*eval.Network, error) {
	n, err := open(path)
	if err != nil {
		return nil, err
	}
	if n.Hash != c.Hash {
		return nil, fmt.Errorf("opening the network of generation %d: its weights have the hash %.12s, not %.12s", c.Generation, n.Hash, c.Hash)
	}
	n.Origin.Generation, n.Origin.Stage = c.Generation, c.Stage
	return n, nil
}

// labelled returns a network as that of a generation, which may have the network of another one, and of a stage.
func labelled(n *eval.Network, generation, stage int) *eval.Network {
	if n.Origin.Generation == generation && n.Origin.Stage == stage {
		return n
	}
	other := *n
	other.Origin.Generation, other.Origin.Stage = generation, stage
	return &other
}

// object returns the content of an object in the store. The format is that of NATS's object store
// (https://github.com/nats-io/nats-architecture-and-design, ADR-20).
func object(ctx context.Context, conn *nats.Conn, name string) ([]byte, error) {
	head, _, err := last(ctx, conn, "OBJ_"+networksStore, metaSubject(name))
	if err != nil {
		return nil, err
	}
	var info jetstream.ObjectInfo
	if err := json.Unmarshal(head, &info); err != nil {
		return nil, err
	}
	const largest = 1 << 30
	if info.Deleted || info.Size > largest {
		return nil, fmt.Errorf("it is not in the store any more, or too large with %d bytes", info.Size)
	}
	subject := pieceSubject(info.NUID)
	var content bytes.Buffer
	for next, n := uint64(1), uint32(0); n < info.Chunks; n++ {
		piece, sequence, err := following(ctx, conn, "OBJ_"+networksStore, subject, next)
		if err != nil {
			return nil, fmt.Errorf("piece %d of %d: %w", n+1, info.Chunks, err)
		}
		content.Write(piece)
		next = sequence + 1
	}
	sum := sha256.Sum256(content.Bytes())
	if digest := "SHA-256=" + base64.URLEncoding.EncodeToString(sum[:]); digest != info.Digest {
		return nil, fmt.Errorf("its %d bytes do not have the digest that was stored with them", content.Len())
	}
	return content.Bytes(), nil
}
