package main

import "golang.org/x/sys/windows"

// free returns the bytes that a user can still write on the disk of a directory.
func free(dir string) (uint64, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var n uint64
	err = windows.GetDiskFreeSpaceEx(path, &n, nil, nil)
	return n, err
}
