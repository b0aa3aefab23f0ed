package selfplay

import (
	"testing"

	"warren/configs"
)

func TestConfig(t *testing.T) {
	if err := configs.Check(DefaultConfig()); err != nil {
		t.Error(err)
	}
}
