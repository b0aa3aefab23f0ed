package metrics

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// memory is a sink for tests that keeps all points.
type memory struct {
	points []Point
	closed bool
	err    error
}

func (m *memory) Write(p Point) error { m.points = append(m.points, p); return m.err }
func (m *memory) Close() error        { m.closed = true; return m.err }

func point(step int64, values ...Value) Point {
	return Point{Step: step, Time: time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC), Values: values}
}

func TestTee(t *testing.T) {
	broken := errors.New("disk full")
	a, b := &memory{err: broken}, &memory{}
	sink := Tee(a, b)
	if err := sink.Write(point(3)); !errors.Is(err, broken) {
		t.Errorf("Write: %v", err)
	}
	if err := sink.Close(); !errors.Is(err, broken) {
		t.Errorf("Close: %v", err)
	}
	if len(b.points) != 1 || b.points[0].Step != 3 || !b.closed {
		t.Errorf("the sink after the failing one has %+v", b)
	}
	if err := Tee(&memory{}, &memory{}).Write(point(1)); err != nil {
		t.Errorf("unexpected error: %v", err)
	}
}

func TestLog(t *testing.T) {
	var b strings.Builder
	logger := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	if err := Log(logger, "measured", "minibatch").Write(point(7, Value{"loss/policy", 2.3456}, Value{"games", 12345})); err != nil {
		t.Fatal(err)
	}
	if want := "level=INFO msg=measured minibatch=7 loss/policy=2.35 games=12.3k\n"; b.String() != want {
		t.Errorf("got  %swant %s", b.String(), want)
	}
}

func TestLogOfSomeNames(t *testing.T) {
	var b strings.Builder
	log := Log(slog.New(slog.NewTextHandler(&b, nil)), "trained", "generation", "games")
	if err := log.Write(point(7, Value{"loss/policy", 2.3456}, Value{"games", 12345})); err != nil {
		t.Fatal(err)
	}
	if err := log.Write(point(8, Value{"loss/policy", 2.3456})); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "games=12.3k") || strings.Contains(text, "loss") || strings.Contains(text, "generation=8") {
		t.Errorf("logged %q", text)
	}
}
