package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"warren/data"
)

// request is a worker's message to the hub. It is sent to ask for numbers, and at intervals otherwise.
type request struct {
	Format   int    `json:"format"`
	Record   int    `json:"record"`         // data.Version
	Instance string `json:"instance"`       // chosen by the worker at its start
	Turn     uint64 `json:"turn,omitempty"` // of the question; the same until its answer has come
	Want     int    `json:"want"`           // count of numbers; may be 0

	Seats  int          `json:"seats,omitempty"` // games of matches that the worker can play now
	Result *matchResult `json:"result,omitempty"`

	HandedIn []handedIn `json:"handed_in,omitempty"` // games of which the worker wants to know what became
}

// maxRequest limits the message of a request. The result of a match has at most about 20 kB, and the games
// that it asks after have 100 kB.
const maxRequest = 128 << 10

// reply is the hub's answer to a request.
type reply struct {
	Error string `json:"error,omitempty"` // the worker cannot continue

	First    uint64  `json:"first"`
	Count    int     `json:"count"`
	Behind   bool    `json:"behind"` // the learner is behind: no numbers are given now
	Network  current `json:"network"`
	Settings string  `json:"settings"` // hashes of those in use, of all stages

	Refused int    `json:"refused"` // refused games of this worker
	Why     string `json:"why,omitempty"`

	Match []*matchGame `json:"match,omitempty"`

	Fates string `json:"fates,omitempty"` // of the games in request.HandedIn, a letter each
}

// listen begins to take the workers' requests, which wait until they are answered.
func (h *Hub) listen(ctx context.Context) (*nats.Subscription, error) {
	sub, err := h.conn.SubscribeSync(leaseSubject + ".*")
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		err = h.conn.FlushWithContext(ctx) // from here on the server knows of it
	}
	if err != nil {
		return nil, fmt.Errorf("listening to the workers: %w", err)
	}
	return sub, nil
}

// answer answers the workers' requests for numbers.
func (h *Hub) answer(ctx context.Context, requests *nats.Subscription, store GameStore) error {
	for {
		msg, err := requests.NextMsgWithContext(ctx)
		if errors.Is(err, nats.ErrSlowConsumer) {
			continue // workers whose requests were dropped ask again
		}
		if err != nil {
			return fmt.Errorf("listening to the workers: %w", err)
		}
		content, err := json.Marshal(h.reply(ctx, msg, store))
		if err != nil {
			return fmt.Errorf("answering a worker: %w", err)
		}
		if err := msg.Respond(content); err != nil && !errors.Is(err, nats.ErrMsgNoReply) {
			h.o.Log.Debug("hub: answering a worker", "error", err)
		}
	}
}

func (h *Hub) reply(ctx context.Context, msg *nats.Msg, store GameStore) reply {
	account := msg.Subject[len(leaseSubject)+1:]
	w := h.workers.of(account)
	var answer reply
	answer.Network, answer.Settings = h.known.inUse()
	if w == nil && (h.o.Server == nil || h.workers.removed(account)) {
		return reply{Error: "this worker has been removed"}
	}
	if w == nil { // the server of this process admits a worker as soon as it is added, and the list is read every second
		answer.Behind = true
		return answer
	}
	var r request
	if len(msg.Data) > maxRequest || json.Unmarshal(msg.Data, &r) != nil || len(r.Instance) > 64 {
		if w.refuse("malformed request") {
			h.quarantine(w, "too many of its requests were malformed")
		}
		return reply{Error: "the request is malformed"}
	}
	if r.Format != Format || r.Record != data.Version {
		return reply{Error: versions("the worker", r.Format, r.Record, "this hub")}
	}
	now := time.Now()
	h.leases.heard(r.Instance, now)
	answer.Refused, answer.Why = w.seen(now, r.Seats)
	if len(r.HandedIn) > 0 {
		answer.Fates = h.fates(ctx, w, r.HandedIn, store)
	}
	if r.Result != nil {
		h.matches.result(ctx, w, r.Result)
	}
	if r.Seats > 0 {
		answer.Match = h.matches.give(w.Account, r.Seats, h.workers.silent)
	}
	if r.Want <= 0 {
		return answer
	}
	playing := h.leases.playing(now)
	room := store.Room() // the learner's, asked last: a game that comes to it in between counts twice, not never
	want := min(r.Want, w.allowance(now))
	if room >= 0 {
		want = min(want, room-playing)
	}
	var err error
	answer.First, answer.Count, err = h.leases.give(w.Account, r.Instance, r.Turn, want, w.share(), w.slowShare(now, room))
	if err != nil {
		h.o.Log.Warn("hub: a lease cannot be written; the worker asks again", "error", err)
	}
	w.granted(answer.Count)
	answer.Behind = answer.Count == 0 && room >= 0 && room <= playing
	return answer
}

// versions returns the message for a side with another version than ours.
func versions(side string, format, record int, ours string) string {
	return fmt.Sprintf("%s speaks format %d with records of version %d, and %s speaks format %d with version %d: use the same version of Warren on both sides",
		side, format, record, ours, Format, data.Version)
}
