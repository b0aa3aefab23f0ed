//go:build !js

package page

import (
	"warren/internal/eval"
	"warren/internal/eval/device"
)

// load opens the network at a path.
func load(path string) (*eval.Network, error) { return device.Load(path, device.Auto) }
