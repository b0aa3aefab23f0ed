//go:build !unix

package hub

import "time"

// processorTime is not known here.
func processorTime() time.Duration { return 0 }
