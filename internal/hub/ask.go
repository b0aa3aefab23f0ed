package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"warren/data"
	"warren/internal/selfplay"
)

const (
	senders   = 8               // games sent at once
	heartbeat = 5 * time.Second // interval of requests while no numbers are needed
	patience  = 5 * time.Second // wait for an answer
	pause     = time.Second     // wait after a failure, or when the learner is behind
)

// ask asks the hub for numbers whenever they run low, and plays the games of matches that the hub gives
// it. It also asks at intervals to learn of a new network. The error says why the worker cannot continue.
func (w *Worker) ask(ctx context.Context, c selfplay.Config) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var games sync.WaitGroup
	defer games.Wait()
	free := true // ask as soon as numbers run low, and not only at the next heartbeat
	for {
		workers, each := c.Load(w.Latest().Attributes())
		target := workers * each // to start next: as many as are in play
		fewer := w.fewer
		if !free {
			fewer = nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-fewer:
			if w.want(target) == 0 {
				continue
			}
		case <-w.seats.ended:
		case <-timer.C:
		}
		result, handed := w.seats.next(), w.spool.handedIn(mostAsked)
		answer, err := w.request(ctx, request{Want: w.want(target), Seats: w.seats.free(c.Workers), Result: result, HandedIn: handed})
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			w.o.Log.Debug("asking the hub for numbers", "error", err)
		case answer.Error != "":
			return fmt.Errorf("the hub at %s: %s", w.o.URL, answer.Error)
		default:
			w.take(answer)
			w.learnFates(handed, answer.Fates)
			w.seats.sent(result)
			w.seats.play(ctx, &games, answer.Match)
			if err := w.change(ctx, answer.Network); err != nil && ctx.Err() == nil {
				w.o.Log.Warn("the new network cannot be fetched; the old one plays on", "error", err)
			}
		}
		free = err == nil && (answer.Count > 0 || w.left() > 0)
		wait := heartbeat
		if !free || len(handed) == mostAsked {
			wait = pause
		}
		timer.Reset(wait)
	}
}

// want returns how many numbers to ask for, to have target. The hub writes every lease to its disk, so these are many at
// once, when half is left.
func (w *Worker) want(target int) int {
	if left := w.left(); left <= target/2 {
		return target - left
	}
	return 0
}

func (w *Worker) left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.numbers)
}

func (w *Worker) request(ctx context.Context, r request) (answer reply, err error) {
	r.Format, r.Record, r.Instance, r.Turn = Format, data.Version, w.instance, w.turn
	content, err := json.Marshal(r)
	if err != nil {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	msg, err := w.conn.RequestWithContext(ctx, leaseSubject, content)
	if err != nil {
		return answer, err
	}
	if err = json.Unmarshal(msg.Data, &answer); err == nil {
		w.turn++
	}
	return answer, err
}

// take adds the numbers of an answer to those of the worker.
func (w *Worker) take(answer reply) {
	w.behind.Store(answer.Behind)
	if answer.Refused > w.refused {
		w.o.Log.Warn("the hub has refused games of this worker", "games", answer.Refused, "the last as", answer.Why)
	}
	w.refused = answer.Refused
	w.mu.Lock()
	defer w.mu.Unlock()
	if answer.Settings != hashes(&w.job) {
		w.stale = true
		notify(w.more)
	}
	if answer.Count == 0 {
		return
	}
	for i := range min(answer.Count, most) {
		w.numbers = append(w.numbers, answer.First+uint64(i))
	}
	notify(w.more)
}

// send sends finished games to the hub until the context ends.
func (w *Worker) send(ctx context.Context) {
	for {
		p, ok := w.spool.next(ctx)
		if !ok {
			return
		}
		sequence, err := w.publish(ctx, p)
		w.spool.done(p, sequence, err)
		if err == nil {
			continue
		}
		w.o.Log.Debug("handing a game in", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// publish sends a game and returns the sequence number under which the stream has taken it.
func (w *Worker) publish(ctx context.Context, p parcel) (sequence uint64, err error) {
	message, err := w.spool.content(p)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := time.Now()
	// The stream drops a second message with the same ID, even if another worker sent the first, or if it
	// has lost that. Others can compute the hash of a game, but they do not know the instance.
	ack, err := w.js.PublishMsg(ctx, &nats.Msg{Subject: gameSubject, Data: message},
		jetstream.WithMsgID(fmt.Sprint(w.instance, ".", p.hash, ".", p.lost)), jetstream.WithRetryAttempts(0))
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) {
		return 0, errors.New("the hub has no stream of games")
	}
	if err != nil {
		return 0, err
	}
	w.latency.Store(int64(time.Since(began)))
	return ack.Sequence, nil
}

// learnFates takes the hub's word on what became of games that were handed in.
func (w *Worker) learnFates(list []handedIn, fates string) {
	err := w.spool.settle(list, fates, func(h data.Hash) {
		if w.o.acknowledged != nil {
			w.o.acknowledged(h)
		}
	})
	if err != nil {
		w.o.Log.Warn("a game that the hub has stays in the spool", "error", err)
	}
}
