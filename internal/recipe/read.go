package recipe

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"warren/internal/settings"
)

// Read returns the settings in a file or preset, over the defaults, with overrides of the form
// key=value. If the file is of an earlier version, a line to notes says which of its settings
// were renamed or removed. The errors are those of [Apply].
func Read(name string, set []string, notes io.Writer) (Config, error) {
	c := DefaultConfig()
	older, err := Apply(name, set, &c)
	if err != nil {
		return c, err
	}
	if text := older.String(); text != "" {
		fmt.Fprintf(notes, "The settings %s are of an earlier version; %s.\n", name, text)
	}
	return c, nil
}

// ReadLast is like Read, and returns the settings of the last stage: see [Config.Last]. It refuses a search that is
// not valid.
func ReadLast(name string, set []string, notes io.Writer) (Config, error) {
	c, err := Read(name, nil, notes)
	if err != nil {
		return c, err
	}
	if c, err = c.Last(set); err != nil {
		return c, err
	}
	return c, c.validateSearch()
}

// Apply is [settings.ReadOlder], also for the stages in the file. Its error for a setting that does not exist names the
// command that lists all.
func Apply(name string, set []string, c *Config) (settings.Older, error) {
	older, err := settings.ReadOlder(name, set, c)
	setsStages := func(s string) bool {
		key, _, _ := strings.Cut(s, "=")
		return strings.TrimSpace(key) == "loop.stages"
	}
	if !slices.ContainsFunc(set, setsStages) {
		c.leaveRemoved(&older)
	}
	if errors.Is(err, settings.ErrUnknown) {
		err = fmt.Errorf("%w (warren train --settings lists them all)", err)
	}
	return older, err
}
