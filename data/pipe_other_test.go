//go:build !unix

package data

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
