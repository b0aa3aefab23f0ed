//go:build unix

package hub

import "golang.org/x/sys/unix"

// usedBytes returns the bytes in use on a file system.
func usedBytes(path string) uint64 {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0
	}
	return (s.Blocks - s.Bfree) * uint64(s.Bsize)
}
