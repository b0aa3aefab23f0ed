package recipe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOlderNamesAreRead: a file with the names of commit f288acf gives the settings that the
// same file with the present names gives.
func TestOlderNamesAreRead(t *testing.T) {
	read := func(content string) (Config, string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		var notes strings.Builder
		c, err := Read(path, nil, &notes)
		if err != nil {
			t.Fatal(err)
		}
		return c, notes.String()
	}
	then, older := read(`
loop: {samples_per_position: 0.25, first_games: 7}
selfplay: {visits_begin: 5, visits_games: 9, fast_choice: sample}
search: {stopped_penalty: 0.25, skip_returns: false, target_scale: 20}
data: {policy_positions: 3, root_value_weight: 0.125, lead_weight: 0.75, lead_games: 11}
learner: {average: 0.5, recycle: 13}
`)
	now, none := read(`
loop: {replay_ratio: 0.25, bootstrap_games: 7}
selfplay: {initial_visits: 5, visits_ramp_games: 9, fast_move_selection: sample}
search: {draw_penalty: 0.25, prune_reversals: false, policy_target_scale: 20}
data: {policy_window: 3, q_ratio: 0.125, material_weight: 0.75, material_games: 11}
learner: {ema_decay: 0.5, dormant_reset_interval: 13}
`)
	if then != now || now == DefaultConfig() {
		t.Errorf("then %+v\nnow  %+v", then, now)
	}
	if strings.Count(older, " -> ") != 14 || strings.Count(older, "\n") != 1 || !strings.Contains(older, "c.yaml are of an earlier version; renamed: loop.samples_per_position -> loop.replay_ratio, ") || none != "" {
		t.Errorf("the file is said to be %q, and the present one %q", older, none)
	}
}
