package metrics

import (
	"context"
	"errors"
	"log/slog"
	"slices"
)

// A Sink receives points as they are measured. Write must not keep a reference to
// p.Values. The sinks of this package may be used from several goroutines.
type Sink interface {
	Write(p Point) error
	Close() error
}

// Tee returns a sink that writes every point to each of sinks, even if one of them
// fails. It joins their errors. Closing it closes all of them.
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

// Log returns a sink that logs every point as one line with the given message. The line
// contains the step, under the name step, and the values with the given names, or all values if no name is
// given, rounded to three significant digits. A point without any such value is not
// logged. With [Progress.Logger] the lines appear above the bar.
func Log(logger *slog.Logger, message, step string, names ...string) Sink {
	return &logSink{logger, message, step, names}
}

type logSink struct {
	logger  *slog.Logger
	message string
	step    string
	names   []string
}

func (l *logSink) Write(p Point) error {
	attrs := []slog.Attr{slog.Int64(l.step, p.Step)}
	for _, v := range p.Values {
		if len(l.names) == 0 || slices.Contains(l.names, v.Name) {
			attrs = append(attrs, slog.String(v.Name, short(v.Value)))
		}
	}
	if len(attrs) == 1 {
		return nil // there is nothing but the step
	}
	l.logger.LogAttrs(context.Background(), slog.LevelInfo, l.message, attrs...)
	return nil
}

func (l *logSink) Close() error { return nil }
