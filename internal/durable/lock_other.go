//go:build !unix && !windows

package durable

import "os"

// Where there is no other process, as in a browser, a lock keeps nobody out.
func lockFile(*os.File) error { return nil }
