//go:build !linux && !darwin && !freebsd && !windows

package hub

import "errors"

func placeOf(string) (place, error) { return place{}, errors.ErrUnsupported }
