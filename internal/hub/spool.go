package hub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"warren/data"
	"warren/internal/durable"
)

// spool holds a worker's finished games until the hub acknowledges them: until they are in a shard. Each game
// is in a file named by the hash of the record. It is written to disk before it is sent, and removed once it
// is acknowledged. Without a directory, games are kept only in memory.
type spool struct {
	dir    string
	packer *packer
	log    *slog.Logger
	lock   *os.File

	mu      sync.Mutex
	changed sync.Cond
	waiting []parcel // to be sent: oldest first, and last those that have failed
	sending int
	sent    map[data.Hash]sentGame // handed in, and not acknowledged yet
	bound   int
}

// sentGame is a game that the hub's stream has taken.
type sentGame struct {
	parcel
	sequence uint64
}

// parcel is a game to be sent. The message is nil if it is on disk.
type parcel struct {
	hash    data.Hash
	message []byte
	lost    int // how often the stream has lost it
}

const spoolSuffix = ".game"

var errOther = errors.New("its content is not that of its name")

// openSpool opens the spool in dir and loads its games. It makes dir if it does not exist. It logs
// damaged files and sets them aside, and passes over what cannot be read. Put waits while the spool holds
// bound games.
func openSpool(dir string, bound int, log *slog.Logger) (*spool, error) {
	packer, err := newPacker()
	if err != nil {
		return nil, err
	}
	s := &spool{dir: dir, packer: packer, log: log, bound: bound, sent: map[data.Hash]sentGame{}}
	s.changed.L = &s.mu
	if dir == "" {
		return s, nil
	}
	s.lock, err = durable.LockDir(dir, fmt.Sprintf("another worker uses the spool %s: choose another --spool", dir))
	if err != nil {
		return nil, err
	}
	if err := s.restore(); err != nil {
		s.lock.Close()
		return nil, fmt.Errorf("opening the spool: %w", err)
	}
	return s, nil
}

// restore loads the games of an earlier process.
func (s *spool) restore() error {
	if err := durable.Sweep(s.dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	others := 0
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), spoolSuffix)
		if !ok {
			continue
		}
		path := filepath.Join(s.dir, e.Name())
		h, err := data.ParseHash(name)
		if err != nil {
			err = errOther
		} else {
			_, err = s.content(parcel{hash: h})
		}
		switch {
		case err == nil:
			s.waiting = append(s.waiting, parcel{hash: h})
		case errors.Is(err, data.ErrFormat):
			others++
		case errors.Is(err, errOther):
			s.log.Warn("setting aside a damaged game of the spool", "path", path, "error", err)
			if err := os.Rename(path, path+".damaged"); err != nil {
				return err
			}
		default:
			s.log.Warn("passing over what cannot be read in the spool", "error", err)
		}
	}
	if others > 0 {
		s.log.Warn("games of another version stay in the spool: only a hub of that version takes them; delete them if the learner has been upgraded", "games", others, "in", s.dir)
	}
	return nil
}

// Put stores a finished game. It waits while the spool is full, but not beyond the end of the
// context. It implements selfplay.Games.
func (s *spool) Put(ctx context.Context, r *data.Record) error {
	message, err := s.packer.pack(r)
	if err != nil {
		return err
	}
	p := parcel{hash: r.Hash(), message: message}
	if s.dir != "" {
		if err := durable.WriteBytes(s.path(p.hash), message); err != nil {
			return fmt.Errorf("keeping a game until it is sent: %w", err)
		}
		p.message = nil
	}
	defer context.AfterFunc(ctx, s.wake)()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, p)
	s.changed.Broadcast()
	for len(s.waiting)+len(s.sent) >= s.bound && ctx.Err() == nil {
		s.changed.Wait()
	}
	return nil
}

// next returns the first game that waits, which the caller sends and passes to done. It waits for a game until the
// context ends, and then reports false.
func (s *spool) next(ctx context.Context) (p parcel, ok bool) {
	defer context.AfterFunc(ctx, s.wake)()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) == 0 && ctx.Err() == nil {
		s.changed.Wait()
	}
	if ctx.Err() != nil {
		return parcel{}, false
	}
	p = s.waiting[0]
	s.waiting = slices.Delete(s.waiting, 0, 1)
	s.sending++
	return p, true
}

// content returns the message of a game.
func (s *spool) content(p parcel) ([]byte, error) {
	if p.message != nil {
		return p.message, nil
	}
	message, err := durable.ReadFile(s.path(p.hash), maxGame)
	if err != nil {
		return nil, err
	}
	r, err := s.packer.unpack(message)
	if errors.Is(err, data.ErrFormat) {
		return nil, err
	}
	if err != nil || r.Hash() != p.hash {
		return nil, fmt.Errorf("%s: %w", s.path(p.hash), errOther)
	}
	return message, nil
}

// done ends the sending of a game. Without an error the stream took it, under that sequence number, and the worker asks
// after it from now on. If it has no file any more, it is given up; if its file is damaged, that is set aside. Otherwise
// the game is queued behind the others, which it would keep back if its file cannot be read.
func (s *spool) done(p parcel, sequence uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sending--
	switch {
	case err == nil:
		s.sent[p.hash] = sentGame{p, sequence}
	case errors.Is(err, errOther):
		s.log.Warn("setting aside a damaged game of the spool", "error", err)
		os.Rename(s.path(p.hash), s.path(p.hash)+".damaged") // if that fails, the next start tries again
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, durable.ErrSpecial):
		s.log.Warn("a game of the spool is gone", "error", err)
	default:
		s.waiting = append(s.waiting, p)
	}
	s.changed.Broadcast()
}

// handedIn returns up to most games that the stream has taken, at random.
func (s *spool) handedIn(most int) (list []handedIn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for h, g := range s.sent {
		if len(list) >= most {
			break
		}
		list = append(list, handedIn{h.String(), g.sequence})
	}
	return list
}

// settle takes the hub's word on what became of games. It removes those that are in a shard, for
// which it calls acknowledged, and those that were refused. It queues those that the stream has lost.
func (s *spool) settle(list []handedIn, fates string, acknowledged func(data.Hash)) (err error) {
	for i, g := range list[:min(len(list), len(fates))] {
		h, badHash := data.ParseHash(g.Hash)
		if badHash != nil {
			return badHash
		}
		s.mu.Lock()
		sent := s.sent[h]
		ended := fates[i] == inShard || fates[i] == refusedGame
		if ended || fates[i] == gone {
			delete(s.sent, h)
		}
		if fates[i] == gone {
			sent.lost++
			s.waiting = append(s.waiting, sent.parcel)
		}
		s.changed.Broadcast()
		s.mu.Unlock()
		if fates[i] == inShard {
			acknowledged(h)
		}
		if !ended {
			continue
		}
		if s.dir != "" {
			if removed := os.Remove(s.path(h)); removed != nil {
				err = fmt.Errorf("removing a game from the spool: %w", removed)
			}
		}
	}
	return err
}

// drain waits until the stream has taken every game or the context ends.
func (s *spool) drain(ctx context.Context) {
	defer context.AfterFunc(ctx, s.wake)()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting)+s.sending > 0 && ctx.Err() == nil {
		s.changed.Wait()
	}
}

// size returns the number of games that the stream has not taken.
func (s *spool) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting) + s.sending
}

// unsaved returns the number of games that the stream has taken and that are not acknowledged yet.
func (s *spool) unsaved() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sent)
}

func (s *spool) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

func (s *spool) close() error {
	if s.lock == nil {
		return nil
	}
	return s.lock.Close()
}

func (s *spool) path(h data.Hash) string {
	return filepath.Join(s.dir, h.String()+spoolSuffix)
}
