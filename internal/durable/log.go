package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Log is a text file that grows by one line at a time, such as metrics in JSON lines.
//
// Up to the last newline, the file contains complete lines in the order in which they were
// appended. If the process is killed, every line whose Append returned is there. If the machine
// stops, every line before the last completed Commit is there, and its own; later lines may be missing.
// A last line without a newline was being written at the crash, and [OpenLog] removes it. Log
// does not detect damage inside earlier lines. Where that matters, use [WriteFile] and a hash.
//
// A Log is not safe for concurrent use, and only one Log may use a file at a time.
type Log struct {
	f    *os.File
	sync func() error // f.Sync
	size int64        // size of the complete lines in bytes
	line []byte       // reused by Append
}

// OpenLog opens the log at path for appending. It creates the file if it does not exist, and
// removes an incomplete last line.
func OpenLog(path string) (*Log, error) {
	info, statErr := os.Stat(path)
	if statErr == nil {
		if err := regular(info); err != nil {
			return nil, fmt.Errorf("opening log %s: %w", path, err)
		}
	}
	// Do not use O_APPEND, because Windows cannot truncate such a file.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("opening log: %w", err)
	}
	l := &Log{f: f, sync: f.Sync}
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

// repair finds the end of the last complete line, reading backwards, and truncates the file there.
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

// Append appends line and a newline. The line itself must not contain a newline. If the write
// fails halfway, for example on a full disk, Append removes the part that was written, so that
// the next Append does not continue an incomplete line.
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

// Commit appends lines, of which there may be none. Once it has returned nil, they and all lines before them survive a
// power failure. If that fails, it removes them again, so that the file holds only what the caller knows to be there.
func (l *Log) Commit(lines ...[]byte) (err error) {
	before := l.size
	for _, line := range lines {
		if err == nil {
			err = l.Append(line)
		}
	}
	if err == nil {
		err = l.synced()
	}
	if err != nil {
		l.size = before // where the next line is written, even over what cannot be removed
		err = errors.Join(err, l.f.Truncate(before))
	}
	return err
}

func (l *Log) synced() error {
	if err := l.sync(); err != nil {
		return fmt.Errorf("syncing log %s: %w", l.f.Name(), err)
	}
	return nil
}

// Close syncs and closes the log.
func (l *Log) Close() error {
	return errors.Join(l.synced(), l.f.Close())
}
