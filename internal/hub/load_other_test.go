//go:build !unix

package hub

import (
	"errors"
	"os"
	"time"
)

// processorTime is not known here.
func processorTime() time.Duration { return 0 }

// suspend is not possible here.
func suspend(*os.Process, bool) error { return errors.New("this system cannot pause a process") }
