package hub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"warren/data"
	"warren/internal/observe"
)

// intake reads games from the stream, checks each, and puts the accepted ones into the store.
type intake struct {
	hub      *Hub
	store    GameStore
	observer observe.Observer
	packer   *packer
	replays  chan replay

	examined sync.Map // hashes of the games that are being checked
}

// run reads games until the context ends.
func (in *intake) run(ctx context.Context) (err error) {
	if in.packer, err = newPacker(); err != nil {
		return err
	}
	consumer, err := in.consumer(ctx)
	if err != nil {
		return fmt.Errorf("reading the games: %w", err)
	}
	// The limit bounds the memory for messages that were delivered and wait to be checked.
	messages, err := consumer.Messages(jetstream.PullMaxBytes(16 << 20))
	if err != nil {
		return fmt.Errorf("reading the games: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, messages.Stop)()
	todo := make(chan jetstream.Msg)
	var group sync.WaitGroup
	clearing, stop := context.WithCancel(ctx)
	defer stop()
	group.Go(func() { in.clear(clearing, consumer) })
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for m := range todo {
				if err := in.take(ctx, m); err != nil {
					cancel(err)
				}
			}
		})
	}
	for ctx.Err() == nil {
		m, err := messages.Next()
		if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
			if ctx.Err() == nil {
				cancel(errors.New("reading the games: their consumer is gone; does another process use the streams of this run?"))
			}
			break
		}
		if err != nil { // such as a missed heartbeat; the iterator recovers by itself
			in.hub.o.Log.Debug("hub: reading the games", "error", err)
			continue
		}
		if meta, err := m.Metadata(); err == nil {
			in.hub.transit.take(meta.Sequence.Stream)
		}
		select {
		case todo <- m:
		case <-ctx.Done():
		}
	}
	messages.Stop()
	close(todo)
	stop()
	group.Wait()
	return context.Cause(ctx)
}

// consumer returns the learner's consumer of the stream. It makes a new one, so that games that an
// earlier process received and did not acknowledge are delivered again at once.
func (in *intake) consumer(ctx context.Context) (jetstream.Consumer, error) {
	err := in.hub.games.DeleteConsumer(ctx, learner)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil, err
	}
	// A game is acknowledged when its shard is full or loop.flush_every has passed. No message is lost
	// between the embedded server and this process. A connection to an outside server may break while
	// games are in transit. These are then delivered again. So is a game that only waits for its shard.
	wait := 2 * time.Hour
	if in.hub.o.Server == nil {
		wait = 20 * time.Second
	}
	return in.hub.games.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: learner, AckPolicy: jetstream.AckExplicitPolicy, AckWait: wait, MaxAckPending: -1,
	})
}

// clear removes acknowledged games from the stream, every second until the context ends.
func (in *intake) clear(ctx context.Context, consumer jetstream.Consumer) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for cleared := uint64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		info, err := in.look(ctx, consumer)
		if err == nil && info.AckFloor.Stream > cleared {
			// Every game up to the floor is acknowledged.
			if err = in.hub.games.Purge(ctx, jetstream.WithPurgeSequence(info.AckFloor.Stream+1)); err == nil {
				cleared = info.AckFloor.Stream
			}
		}
		if err != nil && ctx.Err() == nil { // the next tick tries again
			in.hub.o.Log.Debug("hub: clearing acknowledged games away", "error", err)
		}
	}
}

// look returns the state of the consumer. If it has no more to do, the hub is past the end of the stream,
// also where messages are missing there.
func (in *intake) look(ctx context.Context, consumer jetstream.Consumer) (*jetstream.ConsumerInfo, error) {
	stream, err := in.hub.games.Info(ctx)
	if err != nil {
		return nil, err
	}
	info, err := consumer.Info(ctx)
	if err == nil && info.NumPending == 0 && info.NumAckPending == 0 {
		in.hub.transit.past(stream.State.LastSeq)
	}
	return info, err
}

// refusal is the reason why a game is refused. Kind is one of a few words that are counted.
type refusal struct {
	kind string
	err  error
}

func (r *refusal) Error() string { return fmt.Sprintf("%s: %v", r.kind, r.err) }

// errRepeated is the error for a game that has been given to the store before.
var errRepeated = errors.New("the game has come before")

// take handles a message. It returns an error only if the store fails. No more games can be taken
// after that.
func (in *intake) take(ctx context.Context, m jetstream.Msg) error {
	if meta, err := m.Metadata(); err == nil {
		defer in.hub.transit.leave(meta.Sequence.Stream)
	}
	w := in.hub.workers.of(m.Subject()[len(gameSubject)+1:])
	if w == nil {
		in.end(m.TermWithReason("of a worker that has been removed"))
		return nil
	}
	r, err := in.packer.unpack(m.Data())
	if err == nil {
		// If two copies arrive at once, the second waits for the result of the first.
		if _, both := in.examined.LoadOrStore(r.Hash(), true); both {
			in.end(m.NakWithDelay(10 * time.Second))
			return nil
		}
		defer in.examined.Delete(r.Hash())
		err = in.examine(w, r)
	} else if errors.Is(err, data.ErrFormat) {
		err = &refusal{"another version", err}
	} else {
		err = &refusal{"damaged", err}
	}
	if errors.Is(err, errRepeated) {
		w.repeat()
		// Keep acknowledges this copy as well: once the game is saved, or at once if it is saved already.
		return in.keep(ctx, r, m)
	}
	if err == nil {
		err = in.keep(ctx, r, m)
	}
	if refused, ok := errors.AsType[*refusal](err); ok {
		in.end(m.TermWithReason(refused.kind))
		in.refuse(w, r, refused)
		return nil
	}
	if err != nil {
		return err
	}
	in.hub.leases.arrived(r.Game)
	w.accept(time.Now())
	in.draw(w, r)
	in.observer.Observe(&observe.GameEnded{Record: r})
	return nil
}

// keep gives a game to the store, and acknowledges its message once it is saved. It returns a refusal if the store has
// another game with its number.
func (in *intake) keep(ctx context.Context, r *data.Record, m jetstream.Msg) error {
	h := r.Hash()
	in.hub.transit.keep(h, true)
	first, err := in.store.Keep(ctx, r, func() {
		in.hub.transit.keep(h, false)
		in.end(m.Ack())
	})
	if err == nil && !first {
		in.hub.transit.keep(h, false)
		return usedBefore(r)
	}
	return err
}

func usedBefore(r *data.Record) *refusal {
	return &refusal{"number used before", fmt.Errorf("game %d", r.Game)}
}

// refuse counts a refused game, and removes a worker that has too many for which it is to blame. The worker is told,
// unless the game could not be read.
func (in *intake) refuse(w *worker, r *data.Record, why *refusal) {
	if r != nil {
		w.recordRefused(r.Hash())
	}
	in.hub.o.Log.Debug("hub: a game is refused", "worker", w.Name, "error", why)
	if w.refuse(why.kind) {
		in.hub.quarantine(w, "too many of its games were refused, the last as "+why.Error())
	}
}

// end logs the error of an acknowledgement. If one is lost, the message is delivered again.
func (in *intake) end(err error) {
	if err != nil {
		in.hub.o.Log.Debug("hub: acknowledging a game", "error", err)
	}
}

// examine checks a game. It returns a refusal or errRepeated if the game does not count. What removes no worker, however
// often it comes, is asked first, because it costs little.
func (in *intake) examine(w *worker, r *data.Record) error {
	if in.store.Has(r.Hash()) {
		return errRepeated
	}
	if !in.hub.leases.allows(w.Account, r.Game) {
		return &refusal{"number not leased", fmt.Errorf("game %d", r.Game)}
	}
	if in.store.Played(r.Game) { // or else when it is kept: another one may come in the meantime
		return usedBefore(r)
	}
	known := in.hub.known
	if !known.network(r.Network, int(r.Generation)) {
		return &refusal{"unknown network", fmt.Errorf("game %d was played with %.12q as generation %d", r.Game, r.Network, r.Generation)}
	}
	job, ok := known.job(r.Settings)
	if !ok {
		return &refusal{"unknown settings", fmt.Errorf("game %d was played under the settings %.12q", r.Game, r.Settings)}
	}
	if !known.together(r.Network, int(r.Generation), r.Settings) {
		return &refusal{"settings of another stage", fmt.Errorf("game %d was played with generation %d under the settings %.12q", r.Game, r.Generation, r.Settings)}
	}
	if err := r.Validate(); err != nil {
		return &refusal{"against the rules", err}
	}
	if err := job.Check(r); err != nil {
		return &refusal{"impossible", fmt.Errorf("game %d: %w", r.Game, err)}
	}
	return nil
}

// draw selects a random share of the games for replay.
func (in *intake) draw(w *worker, r *data.Record) {
	if rand.Float64() >= in.hub.o.Sample {
		return
	}
	select {
	case in.replays <- replay{w, r}:
	default: // enough games wait already
	}
}

// quarantine removes a worker, unless it is removed already: then another may have its name. Its credential becomes
// invalid.
func (h *Hub) quarantine(w *worker, reason string) {
	c, err := h.o.Keys.load(w.Name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (c.Account != w.Account || c.Removed != nil) {
		return
	}
	if err == nil {
		err = h.o.Keys.remove(c, reason)
	}
	if err == nil {
		h.o.Log.Warn("hub: a worker is cut off", "worker", w.Name, "reason", reason)
		err = h.refresh()
	}
	if err != nil {
		h.o.Log.Warn("hub: cutting a worker off", "worker", w.Name, "error", err)
	}
}
