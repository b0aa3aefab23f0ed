//go:build darwin || freebsd

package hub

import "syscall"

func placeOf(dir string) (place, error) {
	var s syscall.Stat_t
	if err := syscall.Stat(dir, &s); err != nil {
		return place{}, err
	}
	return place{Inode: uint64(s.Ino), Born: s.Birthtimespec.Nano()}, nil
}
