package quant

import (
	"strings"
	"testing"

	"warren/internal/kernel"
)

// TestOn: every path has a unit with its vectors, and the fastest path has the fastest unit.
func TestOn(t *testing.T) {
	for i, p := range kernel.Paths() {
		u := On(p)
		if u != nil && i == 0 && u.name != Units()[0].name {
			t.Errorf("on %s it is %s, not %s", p.Name, u.name, Units()[0].name)
		}
		if !strings.HasPrefix(u.name, p.Name) && p.Name != "avx512" {
			t.Errorf("on %s it is %s", p.Name, u.name)
		}
	}
}
