package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// directGet is the prefix of JetStream's direct interface (ADR-31), which reads one message with one
// request. The client library first asks for the stream's description. Only the account that owns the
// stream can do that.
const directGet = "$JS.API.DIRECT.GET."

// last returns the newest message of a subject and its sequence number in the stream.
func last(ctx context.Context, conn *nats.Conn, stream, subject string) ([]byte, uint64, error) {
	return direct(ctx, conn, directGet+stream+"."+subject, nil)
}

// following returns the first message of a subject at or after a sequence number of the stream.
func following(ctx context.Context, conn *nats.Conn, stream, subject string, from uint64) ([]byte, uint64, error) {
	ask, err := json.Marshal(struct {
		From    uint64 `json:"seq"`
		Subject string `json:"next_by_subj"`
	}{from, subject})
	if err != nil {
		return nil, 0, err
	}
	return direct(ctx, conn, directGet+stream, ask)
}

func direct(ctx context.Context, conn *nats.Conn, subject string, ask []byte) ([]byte, uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	m, err := conn.RequestWithContext(ctx, subject, ask)
	if err != nil {
		return nil, 0, err
	}
	if status := m.Header.Get("Status"); status != "" {
		return nil, 0, fmt.Errorf("the hub says %s %s", status, m.Header.Get("Description"))
	}
	sequence, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
	if err != nil {
		return nil, 0, fmt.Errorf("the hub's answer has no number: %w", err)
	}
	return m.Data, sequence, nil
}
