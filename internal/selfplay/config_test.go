package selfplay

import (
	"testing"

	"warren/internal/settings"
)

func TestConfig(t *testing.T) {
	if err := settings.Check(DefaultConfig()); err != nil {
		t.Error(err)
	}
}
