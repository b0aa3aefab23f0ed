package settings

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// renamed lists the settings that have another name than in earlier versions. A file may have
// the old names. An override must have the new one. What became a part of a schedule is in schedules.go.
var renamed = []renaming{
	{"data.lead_games", "data.material_weight.games"},
	{"data.lead_weight", "data.material_weight.final"},
	{"data.material_games", "data.material_weight.games"},
	{"data.policy_positions", "data.policy_window"},
	{"data.root_value_weight", "data.q_ratio"},
	{"learner.average", "learner.ema_decay"},
	{"learner.rate.peak", "learner.rate.initial"},
	{"learner.recycle", "learner.dormant_reset_interval"},
	{"loop.first_games", "loop.bootstrap_games"},
	{"loop.samples_per_position", "loop.replay_ratio"},
	{"search.fpu.value", "search.fpu_reduction"},
	{"search.root_fpu.value", "search.root_fpu_reduction"},
	{"search.skip_returns", "search.prune_reversals"},
	{"search.stopped_penalty", "search.draw_penalty"},
	{"search.target_scale", "search.policy_target_scale"},
	{"search.win_tests.on", "search.win_test_steps"}, // false is 0 steps
	{"search.win_tests.steps", "search.win_test_steps"},
	{"selfplay.initial_visits", "selfplay.visits.initial"},
	{"selfplay.visits_begin", "selfplay.visits.initial"},
	{"selfplay.visits_games", "selfplay.visits.games"},
	{"selfplay.visits_ramp_games", "selfplay.visits.games"},
}

// A renaming is a setting with a new name. Both are dotted.
type renaming struct{ old, new string }

// findRenaming returns the renaming of a setting that had the given name, or nil.
func findRenaming(key string) *renaming {
	for i := range renamed {
		if renamed[i].old == key {
			return &renamed[i]
		}
	}
	return nil
}

// Error says which name the setting has now.
func (r *renaming) Error() string { return fmt.Sprintf("this setting is now %s", r.new) }

// rename handles a key of the file that is the old name of a setting. It reports whether the
// key is one.
func (r *reader) rename(key string, value *yaml.Node) bool {
	now := findRenaming(key)
	if now == nil || r.byKey[now.new] == nil {
		return false
	}
	r.setting(r.byKey[now.new], key, value)
	r.older.Renamed = append(r.older.Renamed, now.old+" -> "+now.new)
	return true
}

// olderWinTests turns the switch of search.win_tests into a number of steps: 0 if it is off.
func olderWinTests(section *yaml.Node) {
	on, steps := (*yaml.Node)(nil), (*yaml.Node)(nil)
	content := section.Content
	for i := 0; i+1 < len(content); i += 2 {
		switch content[i].Value {
		case "on":
			on = content[i+1]
		case "steps":
			steps = content[i+1]
		}
	}
	switch {
	case on == nil || on.Kind != yaml.ScalarNode || on.Value != "true" && on.Value != "false":
		return // nothing to turn, or the reader refuses it
	case on.Value == "false" && steps == nil:
		section.Content = append(content, &yaml.Node{Kind: yaml.ScalarNode, Value: "steps", Line: on.Line}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: "0", Line: on.Line})
	case on.Value == "false" && steps.Kind == yaml.ScalarNode:
		steps.Value = "0"
	}
	i := slices.Index(section.Content, on)
	section.Content = slices.Delete(section.Content, i-1, i+1)
}
