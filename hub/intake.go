package hub

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"warren/data"
	"warren/selfplay"
	"warren/watch"
)

// intake takes the games out of the stream, looks at each, and puts the good ones into the archive.
type intake struct {
	hub      *Hub
	job      selfplay.Job
	archive  Archive
	observer watch.Observer
	packer   *packer
	replays  chan replay

	examined sync.Map // hashes of the games that are being looked at
}

// run takes games until the context ends.
func (in *intake) run(ctx context.Context) (err error) {
	if in.packer, err = newPacker(); err != nil {
		return err
	}
	consumer, err := in.consumer(ctx)
	if err != nil {
		return fmt.Errorf("reading the games: %w", err)
	}
	// What waits here has left the stream's hands and is not acknowledged: a bound on memory.
	messages, err := consumer.Messages(jetstream.PullMaxBytes(16 << 20))
	if err != nil {
		return fmt.Errorf("reading the games: %w", err)
	}
	defer context.AfterFunc(ctx, messages.Stop)()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := make(chan jetstream.Msg)
	var group sync.WaitGroup
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
			break
		}
		if err != nil { // such as a heartbeat that was missed; the iterator goes on by itself
			in.hub.o.Log.Debug("hub: reading the games", "error", err)
			continue
		}
		select {
		case todo <- m:
		case <-ctx.Done():
		}
	}
	messages.Stop()
	close(todo)
	group.Wait()
	return context.Cause(ctx)
}

// consumer returns the learner's consumer of the stream. It is made anew, so that what an earlier
// process had taken and not acknowledged comes again at once.
func (in *intake) consumer(ctx context.Context) (jetstream.Consumer, error) {
	err := in.hub.games.DeleteConsumer(ctx, learner)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil, err
	}
	// A game is acknowledged when its shard is full, or loop.flush_every is over. Nothing is lost between
	// the embedded server and this process. Between an outside one and this, a connection may end with
	// games on the way, which then come again; one that is only waiting for its shard comes twice.
	wait := 2 * time.Hour
	if in.hub.o.Server == nil {
		wait = 20 * time.Second
	}
	return in.hub.games.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: learner, AckPolicy: jetstream.AckExplicitPolicy, AckWait: wait, MaxAckPending: -1,
	})
}

// refusal is why a game does not count. Kind is one of a few words, for the counts.
type refusal struct {
	kind string
	err  error
}

func (r *refusal) Error() string { return fmt.Sprintf("%s: %v", r.kind, r.err) }

// errRepeated is for a game that is in the archive, or on its way there.
var errRepeated = errors.New("the game has come before")

// take looks at a message. The error is that of the archive, after which nothing more can be taken.
func (in *intake) take(ctx context.Context, m jetstream.Msg) error {
	log := in.hub.o.Log
	w := in.hub.workers.of(m.Subject()[len(gameSubject)+1:])
	if w == nil {
		in.end(m.TermWithReason("of a worker that has been removed"))
		return nil
	}
	r, err := in.packer.unpack(m.Data())
	if err == nil {
		// Two copies at once: the second waits until it is known what becomes of the first.
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
	var refused *refusal
	switch {
	case errors.Is(err, errRepeated):
		w.repeat()
		// Keep acknowledges it too when it is saved, and at once if it is.
		return in.archive.Keep(ctx, r, func() { in.end(m.Ack()) })
	case errors.As(err, &refused):
		in.end(m.TermWithReason(refused.kind))
		log.Debug("hub: a game is refused", "worker", w.Name, "error", err)
		if w.refuse(refused.kind) {
			in.hub.quarantine(w, "too many of its games were refused, the last as "+err.Error())
		}
		return nil
	}
	w.accept(time.Now())
	in.draw(w, r)
	in.observer.Observe(&watch.GameEnded{Record: r})
	return in.archive.Keep(ctx, r, func() { in.end(m.Ack()) })
}

// end is for the error of an acknowledgement: if it does not arrive, the message comes again.
func (in *intake) end(err error) {
	if err != nil {
		in.hub.o.Log.Debug("hub: acknowledging a game", "error", err)
	}
}

// examine reports a game that does not count: the error is a refusal or errRepeated.
func (in *intake) examine(w *worker, r *data.Record) error {
	if in.archive.Has(r.Hash()) {
		return errRepeated
	}
	if err := r.Validate(); err != nil {
		return &refusal{"against the rules", err}
	}
	generation, ok := in.hub.known.network(r.Network)
	if !ok || int32(generation) != r.Generation {
		return &refusal{"unknown network", fmt.Errorf("game %d was played with %.12q as generation %d", r.Game, r.Network, r.Generation)}
	}
	job, ok := in.hub.known.job(r.Settings)
	if !ok {
		return &refusal{"unknown settings", fmt.Errorf("game %d was played under the settings %.12q", r.Game, r.Settings)}
	}
	if err := job.Check(r); err != nil {
		return &refusal{"impossible", fmt.Errorf("game %d: %w", r.Game, err)}
	}
	leased, first := in.hub.leases.take(w.Account, r.Game)
	switch {
	case !leased:
		return &refusal{"number not leased", fmt.Errorf("game %d", r.Game)}
	case !first || in.archive.Played(r.Game):
		return &refusal{"number used before", fmt.Errorf("game %d", r.Game)}
	}
	return nil
}

// draw lets chance say whether a game is to be played again.
func (in *intake) draw(w *worker, r *data.Record) {
	if rand.Float64() >= in.hub.o.Sample {
		return
	}
	select {
	case in.replays <- replay{w, r}:
	default: // there are enough
	}
}

// quarantine cuts a worker off. Its credential is of no use any more.
func (h *Hub) quarantine(w *worker, reason string) {
	h.o.Log.Warn("hub: a worker is cut off", "worker", w.Name, "reason", reason)
	if err := h.o.Keys.Remove(w.Name, reason); err != nil {
		h.o.Log.Warn("hub: cutting a worker off", "worker", w.Name, "error", err)
		return
	}
	if err := h.refresh(); err != nil {
		h.o.Log.Warn("hub: cutting a worker off", "worker", w.Name, "error", err)
	}
}
