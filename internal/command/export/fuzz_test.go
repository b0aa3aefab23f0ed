package export

import (
	"strings"
	"testing"

	"warren/internal/visible"
)

// A card gives an architecture that a network can have, or an error whose text can be shown in one line.
func FuzzParseArchitecture(f *testing.F) {
	f.Add([]byte(`{"card_version": 1, "architecture": {"blocks": 1, "channels": 8, "policy_channels": 2, "value_channels": 1, "value_hidden": 4}}`))
	f.Add([]byte(`{"card_version": 2}`))
	f.Add([]byte("bread"))
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := parseArchitecture(content)
		if err != nil {
			if strings.Contains(visible.Text(err.Error()), "\n") {
				t.Errorf("more than a line: %q", err)
			}
			return
		}
		if c.Validate() != nil || len(c.Layout()) == 0 {
			t.Errorf("%q: the architecture %+v", content, c)
		}
	})
}
