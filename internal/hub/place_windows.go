package hub

import (
	"errors"
	"os"
	"syscall"
)

// placeOf returns when the directory was made, to a ten-millionth of a second.
func placeOf(dir string) (place, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return place{}, err
	}
	s, ok := info.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return place{}, errors.ErrUnsupported
	}
	return place{Born: s.CreationTime.Nanoseconds()}, nil
}
