package recipe

import (
	"fmt"
	"io"

	"warren/internal/settings"
)

// Read returns the settings in a file or preset, over the defaults, with overrides of the form
// key=value. If the file is of an earlier version, a line to notes says which of its settings
// were renamed or removed. The errors are those of [settings.Read].
func Read(name string, set []string, notes io.Writer) (Config, error) {
	c := DefaultConfig()
	older, err := settings.ReadOlder(name, set, &c)
	if err != nil {
		return c, err
	}
	if text := older.String(); text != "" {
		fmt.Fprintf(notes, "The settings %s are of an earlier version; %s.\n", name, text)
	}
	return c, nil
}
