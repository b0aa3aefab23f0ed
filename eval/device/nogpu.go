//go:build nogpu || !(linux || darwin || windows) || !(amd64 || arm64)

package device

import "errors"

// drivers are those of graphics processors, which this program was built without.
var drivers = []driver{{"opencl", none}, {"cuda", none}}

func none() ([]processor, error) {
	return nil, errors.New("this program was built without graphics processors; build it without the tag nogpu")
}
