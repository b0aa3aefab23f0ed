package library

import "golang.org/x/sys/windows"

// open looks only in the system's directory, where drivers are.
func open(name string) (uintptr, error) {
	handle, err := windows.LoadLibraryEx(name, 0, windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	return uintptr(handle), err
}

func symbol(handle uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(handle), name)
}
