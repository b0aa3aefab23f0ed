//go:build !linux || !amd64 || purego

package bf16

import "errors"

// AMX returns the processor's tile unit. The error says why it cannot be used.
func AMX() (*Unit, error) {
	return nil, errors.New("this program was built without AMX, which needs Linux on amd64")
}
