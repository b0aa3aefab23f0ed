package mcts

import (
	"strings"
	"testing"
)

func TestConfigValidate(t *testing.T) {
	for name, c := range map[string]Config{"default": DefaultConfig(), "AlphaZero": AlphaZeroConfig(), "match": MatchConfig()} {
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.Rule = GumbelRule; c.Validate() != nil {
			t.Errorf("%s with the rule gumbel: %v", name, c.Validate())
		}
		if c.Rule = "ptcu"; c.Validate() == nil || !strings.HasSuffix(c.Validate().Error(), `"ptcu", which does not exist: use gumbel or puct`) {
			t.Errorf("%s with an unknown rule: %v", name, c.Validate())
		}
	}
	both := MatchConfig()
	if both.DrawPenalty = 0.5; both.Validate() == nil {
		t.Error("draw_penalty and lcb have no error")
	}
	defer func() {
		if recover() == nil {
			t.Error("New took a config without a rule")
		}
	}()
	New(Config{}, 1)
}
