// Package library opens shared libraries at run time, without cgo.
package library

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/ebitengine/purego"
)

// Library is an open shared library. It stays open until the program ends.
type Library struct {
	Name   string
	handle uintptr
}

// Open opens the first of the named libraries that exists.
func Open(names ...string) (*Library, error) {
	var first error
	for _, name := range names {
		handle, err := open(name)
		if err == nil {
			return &Library{name, handle}, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, fmt.Errorf("opening %s: %s", names[0], oneLine(first))
}

// oneLine is the first line of a loader's error.
func oneLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Symbol returns the address of a function.
func (l *Library) Symbol(name string) (uintptr, error) {
	address, err := symbol(l.handle, name)
	if err != nil || address == 0 {
		return 0, fmt.Errorf("%s has no function %s", l.Name, name)
	}
	return address, nil
}

// Bind sets every field of table, a pointer to a struct, that has a tag "c" to the function of
// C that the tag names, whose address find returns.
func Bind(table any, find func(name string) (uintptr, error)) error {
	v := reflect.ValueOf(table).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("c")
		if name == "" {
			continue
		}
		address, err := find(name)
		if err != nil {
			return err
		}
		purego.RegisterFunc(v.Field(i).Addr().Interface(), address)
	}
	return nil
}
