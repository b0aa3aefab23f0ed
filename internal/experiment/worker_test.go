package experiment

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"warren/internal/durable"
)

// What a process that has lost its parent still works on is waited for, unless the context ends.
func TestOrphansAreWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "matches")
	if err := released(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	orphan, err := durable.Lock(filepath.Join(path, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := released(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("with an orphan at work: %v", err)
	}
	ended := make(chan error)
	go func() { ended <- released(t.Context(), path) }()
	if err := orphan.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("after its end: %v", err)
	}
}
