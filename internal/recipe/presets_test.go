package recipe

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"warren/internal/settings"
)

// TestPresetsHoldWhatDiffers: every setting in a preset differs from its default, and a preset
// has at most 25 lines.
func TestPresetsHoldWhatDiffers(t *testing.T) {
	defaults := values(t, DefaultConfig())
	for _, name := range settings.Presets() {
		content, err := os.ReadFile(filepath.Join("..", "..", "configs", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(content, []byte("\n")); n > 25 {
			t.Errorf("%s has %d lines, want at most 25", name, n)
		}
		c := DefaultConfig()
		if err := settings.Read(name, nil, &c); err != nil {
			t.Fatal(err)
		}
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var given map[string]any
		if err := yaml.Unmarshal(content, &given); err != nil {
			t.Fatal(err)
		}
		now := values(t, c)
		var walk func(prefix string, section map[string]any)
		walk = func(prefix string, section map[string]any) {
			for key, value := range section {
				if inner, ok := value.(map[string]any); ok {
					walk(prefix+key+".", inner)
				} else if now[prefix+key] == defaults[prefix+key] {
					t.Errorf("%s: %s%s is the default", name, prefix, key)
				}
			}
		}
		walk("", given)
	}
}

// values returns the values of settings by key.
func values(t *testing.T, c Config) map[string]string {
	t.Helper()
	list, err := settings.List(c)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, s := range list {
		all[s.Key] = s.Value
	}
	return all
}
