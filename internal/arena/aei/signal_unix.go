//go:build unix

package aei

import (
	"os"
	"os/signal"
	"syscall"
)

// ending returns the signals that end a command early: Ctrl-C, SIGTERM, and the end of the terminal (SIGHUP, except
// under nohup). They are those of package console, which is not built for the browser, where this package is.
func ending() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
