package metrics

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"warren/internal/durable"
)

// Lines is a sink that appends every point to a file as one line of JSON, in the form
// of [Point.MarshalJSON]. When Write has returned, the line survives the end of the
// process. Lines may be used from several goroutines.
type Lines struct {
	mu  sync.Mutex
	log *durable.Log
}

// OpenLines opens the file of JSON lines at path for appending, and creates it if it
// does not exist. It removes an incomplete last line that a crash has left.
func OpenLines(path string) (*Lines, error) {
	log, err := durable.OpenLog(path)
	if err != nil {
		return nil, fmt.Errorf("opening metrics: %w", err)
	}
	return &Lines{log: log}, nil
}

// Write appends the point.
func (l *Lines) Write(p Point) error {
	line, err := p.MarshalJSON()
	if err != nil {
		return fmt.Errorf("writing metrics: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.log.Append(line); err != nil {
		return fmt.Errorf("writing metrics: %w", err)
	}
	return nil
}

// Close syncs and closes the file.
func (l *Lines) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Close()
}

// ReadLines returns the points of a file of JSON lines in the order of the file. Steps
// repeat where a run was resumed (see [Series]). ReadLines skips a last line without a
// newline, which is either still being written or incomplete after a crash. It also
// skips damaged lines; then it returns the other points and an error that joins one
// line for each damaged one.
func ReadLines(path string) ([]Point, error) {
	points, _, err := ReadLinesFrom(path, 0)
	return points, err
}

// ReadLinesFrom is like [ReadLines], but begins at an offset in the file, where a line
// begins. It also returns the offset of the end of the last whole line, from which a
// later call can continue. Errors count the lines from the offset on.
func ReadLinesFrom(path string, offset int64) (points []Point, end int64, err error) {
	file, err := durable.Open(path)
	if err != nil {
		return nil, offset, fmt.Errorf("reading metrics: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, offset, fmt.Errorf("reading metrics: %w", err)
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return nil, offset, fmt.Errorf("reading metrics: %w", err)
	}
	var errs []error
	number := 0
	for line := range bytes.Lines(content) {
		number++
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		offset += int64(len(line))
		var p Point
		if err := json.Unmarshal(line, &p); err != nil {
			errs = append(errs, fmt.Errorf("reading metrics %s:%d: %w", path, number, err))
			continue
		}
		points = append(points, p)
	}
	return points, offset, errors.Join(errs...)
}
