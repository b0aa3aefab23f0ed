//go:build !linux || !amd64 || purego

package quant

import "errors"

// tileUnit returns the processor's tile unit. The error says why it cannot be used.
func tileUnit() (*Unit, error) {
	return nil, errors.New("this program was built without AMX, which needs Linux on amd64")
}
