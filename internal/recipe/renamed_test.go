package recipe

import (
	"io"
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
selfplay: {visits_begin: 5, visits_games: 9}
search: {stopped_penalty: 0.25, skip_returns: false, target_scale: 20}
data: {policy_positions: 3, root_value_weight: 0.125, lead_weight: 0.75, lead_games: 11}
learner: {average: 0.5, recycle: 13}
`)
	now, none := read(`
loop: {replay_ratio: 0.25, bootstrap_games: 7}
selfplay: {visits: {initial: 5, games: 9}}
search: {draw_penalty: 0.25, prune_reversals: false, policy_target_scale: 20}
data: {policy_window: 3, q_ratio: 0.125, material_weight: {initial: 0.75, final: 0, games: 11}}
learner: {ema_decay: 0.5, dormant_reset_interval: 13}
`)
	if then != now || now == DefaultConfig() {
		t.Errorf("then %+v\nnow  %+v", then, now)
	}
	if strings.Count(older, " -> ") != 14 || strings.Count(older, "\n") != 1 || !strings.Contains(older, "c.yaml are of an earlier version; renamed: loop.samples_per_position -> loop.replay_ratio, ") || none != "" {
		t.Errorf("the file is said to be %q, and the present one %q", older, none)
	}
}

// TestOlderSchedulesAreRead: the visits and the weight of pieces were settings beside each other.
func TestOlderSchedulesAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	read := func(content string) (Config, error) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return Read(path, nil, io.Discard)
	}
	for then, now := range map[string]string{
		"selfplay: {visits: 50}":                                          "selfplay: {visits: {final: 50}}",
		"selfplay: {visits: 50, visits_begin: 3, visits_games: 300}":      "selfplay: {visits: {initial: 3, final: 50, games: 300}}",
		"selfplay: {initial_visits: 0, visits: 50}":                       "selfplay: {visits: {final: 50, games: 0}}",
		"selfplay: {initial_visits: 0, visits_ramp_games: 300}":           "selfplay: {visits: {games: 0}}",
		"selfplay: {visits_ramp_games: 300}":                              "selfplay: {visits: {games: 300}}",
		"selfplay:\n  visits:\n  fast_visits: 3":                          "selfplay: {fast_visits: 3}",
		"data: {lead_weight: 0.25}":                                       "data: {material_weight: {final: 0.25}}",
		"data: {material_weight: 0.25, material_games: 0}":                "data: {material_weight: {final: 0.25}}",
		"data: {material_weight: 0.25, material_games: 100}":              "data: {material_weight: {initial: 0.25, final: 0, games: 100}}",
		"data: {lead_games: 100}":                                         "data: {material_weight: {final: 0, games: 100}}",
		"data: {material_weight: {initial: 0.5}}\nselfplay: {visits: {}}": "data: {material_weight: {initial: 0.5}}",
	} {
		got, err := read(then)
		want, err2 := read(now)
		if err != nil || err2 != nil || got != want {
			t.Errorf("%s: %+v and %+v, %v\nwant %+v and %+v, %v", then, got.SelfPlay.Visits, got.Data.MaterialWeight, err, want.SelfPlay.Visits, want.Data.MaterialWeight, err2)
		}
	}
	for content, want := range map[string]string{
		"selfplay:\n  visits: many":                                  ":2: selfplay.visits.final: many is not a whole number",
		"selfplay:\n  initial_visits: 1":                             ":2: selfplay.visits.initial: 1 is out of range",
		"selfplay:\n  visits: 4\n  initial_visits: [4]":              ":3: selfplay.initial_visits: must be one value",
		"selfplay:\n  visits: {final: 4}\n  visits_begin: 4":         ":3: selfplay.visits: given twice",
		"selfplay:\n  initial_visits: 4\n  visits_begin: 4":          ":2: selfplay.visits.initial: given twice, first as selfplay.visits_begin",
		"data:\n  material_weight: !!str 0.1":                        ":2: data.material_weight.final: the tag !!str is not allowed",
		"data:\n  lead_weight: 0.1\n  material_weight: {final: 0.1}": ":2: data.material_weight: given twice, first on line 3",
	} {
		_, err := read(content)
		if err == nil || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
}
