//go:build linux || darwin || freebsd

package main

import "golang.org/x/sys/unix"

// free returns the bytes that a user can still write on the disk of a directory.
func free(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil
}
