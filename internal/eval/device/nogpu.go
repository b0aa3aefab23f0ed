//go:build nogpu || !(linux || darwin || windows) || !(amd64 || arm64)

package device

import "errors"

// drivers lists the drivers of graphics processors. This program was built
// without them.
var drivers = []driver{{"opencl", none}, {"cuda", none}}

func none() ([]processor, error) {
	return nil, errors.New("this program was built without graphics processors; build it without the tag nogpu")
}
