package configs

import (
	"errors"
	"fmt"
	"strings"
)

// Check holds the declaration of v, a struct of settings or a pointer to one
// that holds its defaults, to the rules of the house; a package with settings
// calls it in its tests. Every setting has the tags yaml and doc; every number
// and duration has min and max (or oneof); every default is allowed. The error
// names all that fails.
func Check(v any) error {
	list, err := fields(v)
	if err != nil {
		return err
	}
	var problems []error
	for _, f := range list {
		if f.section {
			continue
		}
		if strings.TrimSpace(f.doc) == "" {
			problems = append(problems, fmt.Errorf("%s: has no doc tag", f.key))
		}
		bounded := f.min.IsValid() && f.max.IsValid() || f.oneof != nil
		if numeric(f.value.Type()) && !bounded {
			problems = append(problems, fmt.Errorf("%s: a number wants the tags min and max", f.key))
		}
		if err := f.check(f.value); err != nil {
			problems = append(problems, fmt.Errorf("%s: the default %w", f.key, err))
		}
	}
	return errors.Join(problems...)
}
