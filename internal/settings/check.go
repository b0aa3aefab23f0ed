package settings

import (
	"errors"
	"fmt"
	"strings"
)

// Check checks the declaration of v, a struct of settings that holds its defaults,
// or a pointer to one. A package with settings calls it in its tests. Every setting
// must have the tags yaml and doc, every number and duration must have min and max
// (or oneof), and every default must be allowed. The sections of a struct must come
// after its settings, which would stand under the heading of a section otherwise.
// The error lists everything that is wrong.
func Check(v any) error {
	list, err := fields(v)
	if err != nil {
		return err
	}
	var problems []error
	section := "" // the last heading
	for _, f := range list {
		if f.section {
			section = f.key
			continue
		}
		if f.parent() != section {
			problems = append(problems, fmt.Errorf("%s: comes after the section %s", f.key, section))
		}
		if strings.TrimSpace(f.doc) == "" {
			problems = append(problems, fmt.Errorf("%s: has no doc tag", f.key))
		}
		bounded := f.min.IsValid() && f.max.IsValid() || f.oneof != nil
		if numeric(f.value.Type()) && !bounded {
			problems = append(problems, fmt.Errorf("%s: a number needs the tags min and max", f.key))
		}
		if err := f.check(f.value); err != nil {
			problems = append(problems, fmt.Errorf("%s: the default %w", f.key, err))
		}
	}
	return errors.Join(problems...)
}
