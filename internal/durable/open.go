package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Document limits a file that a person or this program has written as one document: settings, a
// record, a card, a list. It is in bytes, for [ReadFile].
const Document = 64 << 20

// ErrSpecial is wrapped by the error of [Open] for a path that names something other than a
// regular file.
var ErrSpecial = errors.New("not a regular file")

// Open opens the regular file path for reading. It refuses everything else that a path can name: a
// directory, and also a named pipe, a device or a socket, which could block the program or fill its
// memory. It follows symbolic links. The error is an [fs.PathError].
func Open(path string) (*os.File, error) {
	// Look before opening, because opening a named pipe waits for a writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: cause(err)}
	}
	if err := regular(info); err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.Open(path)
}

// ReadFile returns the content of the regular file path, as [Open] opens it. It refuses a file of
// more than limit bytes before reading it.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(f, limit)
}

func readLimited(f *os.File, limit int64) ([]byte, error) {
	tooLarge := &fs.PathError{Op: "read", Path: f.Name(), Err: fmt.Errorf("larger than %d bytes", limit)}
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.Size() > limit {
		return nil, tooLarge
	}
	// The file may still be growing, and files in /proc have no size.
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = tooLarge
	}
	if err != nil {
		return nil, err
	}
	return content, nil
}

// regular returns an error that says what info describes, unless it is a regular file.
func regular(info fs.FileInfo) error {
	kind := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	default:
		kind = "something special"
	}
	return fmt.Errorf("%s, %w", kind, ErrSpecial)
}
