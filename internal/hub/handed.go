package hub

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"warren/data"
)

// A worker keeps a game until the hub has said that it is in a shard. The stream only carries it there, so
// nothing is lost if the stream is damaged: the worker asks after the game and sends it again.

// handedIn is a game that the stream has taken, of which a worker asks what became of it.
type handedIn struct {
	Hash     string `json:"hash"`
	Sequence uint64 `json:"sequence"` // in the stream
}

// What became of a game.
const (
	onItsWay    = 'w' // it waits in the stream or for its shard to be full
	inShard     = 's'
	refusedGame = 'r'
	gone        = 'g' // the stream has lost it
)

// mostAsked limits the games that a worker asks after at once.
const mostAsked = 1000

// transit follows the games from the stream to the shards.
type transit struct {
	mu      sync.Mutex
	last    uint64          // sequence number of the newest message that the hub has received
	end     uint64          // of a message that was the newest in the stream
	taken   map[uint64]bool // messages that are being examined
	keeping map[data.Hash]bool
}

func newTransit() *transit {
	return &transit{taken: map[uint64]bool{}, keeping: map[data.Hash]bool{}}
}

// take records that a message has been received. It is examined until leave is called.
func (t *transit) take(sequence uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = max(t.last, sequence)
	t.taken[sequence] = true
}

// past records that all messages up to this one have been received and examined.
func (t *transit) past(sequence uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = max(t.last, sequence)
}

func (t *transit) leave(sequence uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.taken, sequence)
}

// ends records the last sequence number of the stream.
func (t *transit) ends(sequence uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = sequence
}

// known returns the last sequence number that ends was told.
func (t *transit) known() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.end
}

// keep records that a game waits for its shard, or no longer does.
func (t *transit) keep(h data.Hash, waits bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if waits {
		t.keeping[h] = true
	} else {
		delete(t.keeping, h)
	}
}

// fate returns what became of a game. Saved says whether the store has it, and refused whether it has been
// refused.
func (t *transit) fate(h data.Hash, sequence uint64, saved, refused bool) byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.keeping[h]:
		return onItsWay
	case saved:
		return inShard
	case refused:
		return refusedGame
	case t.taken[sequence], sequence > t.last && sequence <= t.end:
		return onItsWay
	}
	return gone
}

// fates returns what became of each of the games that a worker has handed in, or "" if that cannot be told
// now.
func (h *Hub) fates(ctx context.Context, w *worker, list []handedIn, store GameStore) string {
	list = list[:min(len(list), mostAsked)]
	if slices.ContainsFunc(list, func(g handedIn) bool { return g.Sequence > h.transit.known() }) {
		info, err := h.games.Info(ctx)
		if err != nil {
			h.o.Log.Debug("hub: asking for the end of the stream", "error", err)
			return ""
		}
		h.transit.ends(info.State.LastSeq)
	}
	fates := make([]byte, len(list))
	missing := 0
	for i, g := range list {
		hash, err := data.ParseHash(g.Hash)
		if err != nil {
			fates[i] = refusedGame // no game has such a hash
			continue
		}
		// The store is asked first: a game that is kept in the meantime is on its way.
		saved, refused := store.Has(hash), w.hasRefused(hash)
		if fates[i] = h.transit.fate(hash, g.Sequence, saved, refused); fates[i] == gone {
			missing++
		}
	}
	if missing > 0 {
		level := slog.LevelWarn
		if h.o.Server != nil && time.Since(h.began) < patient { // they were on their way when the last process ended
			level = slog.LevelInfo
		}
		h.o.Log.Log(ctx, level, "hub: games were lost on their way; their worker sends them again", "worker", w.Name, "games", missing)
	}
	return string(fates)
}
