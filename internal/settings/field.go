package settings

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// A field is one setting, or one section of settings, of a struct.
type field struct {
	key     string        // dotted, such as search.cpuct
	value   reflect.Value // settable if the struct was given by pointer
	doc     string
	section bool

	// For settings only, "" if not given.
	unit, origin, change string

	// For settings only. A bound that is not given is the zero reflect.Value.
	min, max reflect.Value
	oneof    []string // allowed values as [format] writes them; nil if there is no list
}

// parent returns the dotted key of the section that contains f, or "" at the top.
func (f *field) parent() string {
	section, _ := cut(f.key)
	return section
}

// cut splits a dotted key into its section and its last name.
func cut(key string) (section, name string) {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[:i], key[i+1:]
	}
	return "", key
}

// fields lists the settings and sections of v, a struct or a pointer to one, in the
// order of their declaration. A section comes before its settings. The error lists
// everything that is wrong with the declaration, which is a mistake of the
// programmer, not of the user.
func fields(v any) ([]*field, error) {
	value := reflect.ValueOf(v)
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct {
		return nil, fmt.Errorf("settings must be a struct or a pointer to one, not %T", v)
	}
	var list []*field
	var problems []error
	walk("", value, &list, &problems)
	return list, errors.Join(problems...)
}

// A Setting describes one setting of a struct to people.
type Setting struct {
	Key     string // dotted: search.cpuct
	Type    string // bool, int, float, text or duration
	Value   string // its present value, as Write writes it
	Allowed string // the range or the list of words; "" where the type says it all
	Doc     string
}

// List returns the settings of v, a struct or a pointer to one, in the order in
// which they are declared.
func List(v any) ([]Setting, error) {
	list, err := fields(v)
	if err != nil {
		return nil, fmt.Errorf("listing settings: %w", err)
	}
	var all []Setting
	for _, f := range list {
		if !f.section {
			all = append(all, Setting{f.key, typeName(f.value.Type()), format(f.value), f.allowed(), f.doc})
		}
	}
	return all, nil
}

// Change is a setting with two values.
type Change struct {
	Key    string `json:"key"` // dotted, such as search.cpuct_init
	Before string `json:"before"`
	After  string `json:"after"`
}

// Changes returns the settings of two values of one type that differ, in the order in which they are declared.
func Changes(before, after any) (changes []Change, err error) {
	was, err := List(before)
	if err != nil {
		return nil, err
	}
	is, err := List(after)
	if err != nil {
		return nil, err
	}
	for i, s := range is {
		if was[i].Value != s.Value {
			changes = append(changes, Change{s.Key, was[i].Value, s.Value})
		}
	}
	return changes, nil
}

func walk(prefix string, value reflect.Value, list *[]*field, problems *[]error) {
	fail := func(format string, args ...any) { *problems = append(*problems, fmt.Errorf(format, args...)) }
	seen := map[string]bool{}
	for i := range value.NumField() {
		sf := value.Type().Field(i)
		name, options, _ := strings.Cut(sf.Tag.Get("yaml"), ",")
		if sf.Anonymous && sf.Type.Kind() == reflect.Struct && name == "" && options == "" {
			walk(prefix, value.Field(i), list, problems)
			continue
		}
		if !sf.IsExported() || name == "-" {
			continue
		}
		where := value.Type().String() + "." + sf.Name
		if name == "" || options != "" {
			fail(`%s: needs a tag yaml:"name" without options`, where)
			continue
		}
		if !isName(name) {
			fail("%s: the name %q is not lower case letters, digits and underscores", where, name)
			continue
		}
		if seen[name] {
			fail("%s: a second setting with the name %s", where, name)
			continue
		}
		seen[name] = true

		f := &field{key: prefix + name, value: value.Field(i), doc: sf.Tag.Get("doc"),
			unit: sf.Tag.Get("unit"), origin: sf.Tag.Get("origin"), change: sf.Tag.Get("change")}
		if sf.Type.Kind() == reflect.Struct {
			f.section = true
			*list = append(*list, f)
			walk(f.key+".", f.value, list, problems)
			continue
		}
		if err := f.limits(sf); err != nil {
			fail("%s: %w", where, err)
			continue
		}
		*list = append(*list, f)
	}
}

// limits reads the tags min, max and oneof.
func (f *field) limits(sf reflect.StructField) error {
	if typeName(sf.Type) == "" {
		return fmt.Errorf("a %s cannot be a setting; use a bool, integer, float, string, time.Duration or struct", sf.Type)
	}
	bound := func(tag string) (reflect.Value, error) {
		text, ok := sf.Tag.Lookup(tag)
		if !ok {
			return reflect.Value{}, nil
		}
		if !numeric(sf.Type) {
			return reflect.Value{}, fmt.Errorf("the tag %s has no meaning for a %s", tag, sf.Type)
		}
		v, err := parse(sf.Type, text)
		if err != nil {
			return reflect.Value{}, fmt.Errorf("the tag %s: %w", tag, err)
		}
		return v, nil
	}
	var err error
	if f.min, err = bound("min"); err != nil {
		return err
	}
	if f.max, err = bound("max"); err != nil {
		return err
	}
	if f.min.IsValid() && f.max.IsValid() && compare(f.min, f.max) > 0 {
		return fmt.Errorf("min %s is above max %s", format(f.min), format(f.max))
	}
	for _, text := range strings.Fields(sf.Tag.Get("oneof")) {
		v, err := parse(sf.Type, text)
		if err != nil {
			return fmt.Errorf("the tag oneof: %w", err)
		}
		f.oneof = append(f.oneof, format(v))
	}
	return nil
}

// allowed returns the allowed values in words, or "" if the type alone limits them.
func (f *field) allowed() string {
	switch {
	case f.oneof != nil:
		return strings.Join(f.oneof, ", ")
	case f.min.IsValid() && f.max.IsValid():
		return format(f.min) + " to " + format(f.max)
	}
	return ""
}

func isName(s string) bool {
	for i, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

var durationType = reflect.TypeFor[time.Duration]()

// typeName returns the name of the type of a setting for people to read, or "" for a
// type that a setting cannot have.
func typeName(t reflect.Type) string {
	switch {
	case t == durationType:
		return "duration"
	case t.Kind() == reflect.Bool:
		return "bool"
	case t.Kind() == reflect.String:
		return "text"
	case numeric(t):
		if t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 {
			return "float"
		}
		return "int"
	}
	return ""
}

func numeric(t reflect.Type) bool {
	return reflect.Int <= t.Kind() && t.Kind() <= reflect.Float64 && t.Kind() != reflect.Uintptr
}
