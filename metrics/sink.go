package metrics

import (
	"context"
	"errors"
	"log/slog"
	"slices"
)

// A Sink takes points as they are measured. Write returns when the point is
// out of the program's hands; it keeps no reference to p.Values. Sinks of this
// package may be used from several goroutines.
type Sink interface {
	Write(p Point) error
	Close() error
}

// Discard is the sink that drops everything.
var Discard Sink = discard{}

type discard struct{}

func (discard) Write(Point) error { return nil }
func (discard) Close() error      { return nil }

// Tee returns a sink that passes every point to all of sinks. A failing one
// keeps no point from the others; the errors are joined. Closing it closes all.
func Tee(sinks ...Sink) Sink { return tee(sinks) }

type tee []Sink

func (t tee) Write(p Point) error {
	var errs []error
	for _, s := range t {
		errs = append(errs, s.Write(p))
	}
	return errors.Join(errs...)
}

func (t tee) Close() error {
	var errs []error
	for _, s := range t {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// Log returns a sink that logs every point as one line with the given message,
// values rounded for people: those of the given names, or all if none is given.
// With [Progress.Logger] it prints above the bar.
func Log(logger *slog.Logger, message string, names ...string) Sink {
	return &logSink{logger, message, names}
}

type logSink struct {
	logger  *slog.Logger
	message string
	names   []string
}

func (l *logSink) Write(p Point) error {
	attrs := []slog.Attr{slog.Int64("step", p.Step)}
	for _, v := range p.Values {
		if len(l.names) == 0 || slices.Contains(l.names, v.Name) {
			attrs = append(attrs, slog.String(v.Name, short(v.Value)))
		}
	}
	if len(attrs) == 1 {
		return nil // nothing to tell but the step
	}
	l.logger.LogAttrs(context.Background(), slog.LevelInfo, l.message, attrs...)
	return nil
}

func (l *logSink) Close() error { return nil }
