package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Log is a text file that only grows, one line at a time: metrics as JSON lines, for one.
//
// Its promise: what a reader finds up to the last newline is lines that were appended, in that
// order, each of them whole. When the process is killed, every line whose Append returned is
// there. When the machine stops, every line appended before the last Sync that returned is
// there; lines after it may be missing. A last line without its newline was being written at
// the crash, and [OpenLog] cuts it off. What Log does not do is notice damage inside earlier
// lines: a file whose every bit counts is written whole, with a hash.
//
// A Log is not for use by several goroutines at once, nor a file by several Logs.
type Log struct {
	f    *os.File
	size int64  // whole lines only
	line []byte // reused by Append
}

// OpenLog opens the log at path for appending, creating it if need be, and cuts off a line torn
// by a crash.
func OpenLog(path string) (*Log, error) {
	_, statErr := os.Stat(path)
	// Not O_APPEND: on Windows such a file cannot be truncated.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("opening log: %w", err)
	}
	l := &Log{f: f}
	if err := l.repair(); err != nil {
		f.Close()
		return nil, fmt.Errorf("opening log %s: %w", path, err)
	}
	if errors.Is(statErr, fs.ErrNotExist) {
		if err := SyncDir(filepath.Dir(path)); err != nil {
			f.Close()
			return nil, err
		}
	}
	return l, nil
}

// repair finds the end of the last whole line, reading backwards, and truncates the file there.
func (l *Log) repair() error {
	info, err := l.f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	var buf [4096]byte
	end := size
	for end > 0 {
		start := max(0, end-int64(len(buf)))
		chunk := buf[:end-start]
		if _, err := l.f.ReadAt(chunk, start); err != nil {
			return err
		}
		if i := bytes.LastIndexByte(chunk, '\n'); i >= 0 {
			end = start + int64(i) + 1
			break
		}
		end = start
	}
	l.size = end
	if end == size {
		return nil
	}
	return l.f.Truncate(end)
}

// Append adds one line; the newline is added here, and line must hold none. If the write fails
// halfway (a full disk) the part that was written is cut off again, so that a later Append does
// not continue a broken line.
func (l *Log) Append(line []byte) error {
	if bytes.IndexByte(line, '\n') >= 0 {
		return fmt.Errorf("appending to log %s: the line contains a newline", l.f.Name())
	}
	l.line = append(append(l.line[:0], line...), '\n')
	if n, err := l.f.WriteAt(l.line, l.size); err != nil {
		if n > 0 {
			err = errors.Join(err, l.f.Truncate(l.size))
		}
		return fmt.Errorf("appending to log %s: %w", l.f.Name(), err)
	}
	l.size += int64(len(l.line))
	return nil
}

// Sync makes the lines appended so far survive a stop of the machine.
func (l *Log) Sync() error {
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("syncing log %s: %w", l.f.Name(), err)
	}
	return nil
}

// Close syncs and closes the log.
func (l *Log) Close() error {
	return errors.Join(l.Sync(), l.f.Close())
}
