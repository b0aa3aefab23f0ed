package train

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"warren/internal/recipe"
	"warren/internal/settings"
	"warren/net"
)

// The climb can continue: its settings are valid, and its last network has their architecture. No network's
// metadata says where it lay on somebody's machine.
func TestClimbGoesOn(t *testing.T) {
	t.Parallel()
	climb := filepath.Join("..", "..", "docs", "climb")
	var c recipe.Config
	for _, name := range []string{"settings.yaml", "stage-12.yaml"} {
		c = recipe.DefaultConfig()
		if err := settings.Read(filepath.Join(climb, name), nil, &c); err != nil {
			t.Fatal(err)
		}
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	last := ""
	for stage := 0; ; stage++ {
		path := filepath.Join(climb, fmt.Sprintf("stage-%d.safetensors", stage))
		if _, err := os.Stat(path); err != nil {
			break
		}
		_, meta, err := net.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range meta {
			if filepath.IsAbs(value) {
				t.Errorf("%s: its %s is %s", path, key, value)
			}
		}
		last = path
	}
	if _, _, err := LoadFirst(last, c); err != nil {
		t.Error(err)
	}
}
