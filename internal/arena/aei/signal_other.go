//go:build !unix

package aei

import (
	"os"
	"syscall"
)

// ending returns the signals that end a command early.
func ending() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
