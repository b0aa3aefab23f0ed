package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// removed lists the settings that earlier versions had. A file of theirs, such as a run's
// config.yaml, can still be read if it asks for what the program does now: the reader leaves
// such a setting out. It refuses any other value, and an override, with a commit that
// still had the setting.
//
// A setting of a struct has precedence over a removed setting with the same key.
var removed = []removal{
	{"data.length_power", "f288acf", values("0")},
	{"data.no_result", "f288acf", values("nothing")},
	{"data.window_fraction", "f288acf", values("0")},
	{"learner.optimizer.beta1", "f288acf", values("0.9")},
	{"learner.optimizer.beta2", "f288acf", values("0.999")},
	{"learner.optimizer.epsilon", "f288acf", values("1e-08")},
	{"learner.rate.drops", "f288acf", anyValue}, // had no effect with learner.rate.schedule cosine
	{"learner.rate.factor", "f288acf", anyValue},
	{"learner.rate.schedule", "f288acf", values("cosine")},
	{"match.gatekeeper.alpha", "f288acf", values("0.05")},
	{"match.gatekeeper.beta", "f288acf", values("0.05")},
	{"match.gatekeeper.elo0", "f288acf", values("0")},
	{"match.gatekeeper.elo1", "f288acf", values("35")},
	{"match.search", "f288acf", values("search.stopped_penalty=0 search.lost_visits=false search.win_tests.steps=100 search.capture_prior=0.35",
		"search.proofs=true search.win_tests.on=true search.win_tests.steps=100")}, // the second of the presets smoke and default, whose matches only test the program
	{"match.temperature", "f288acf", values("1")},
	{"match.temperature_turns", "f288acf", values("4")},
	{"search.choice_offset", "f288acf", values("0")},
	{"search.cpuct_spread.prior", "f288acf", anyValue}, // had no effect with scale 0
	{"search.cpuct_spread.scale", "f288acf", values("0")},
	{"search.cpuct_spread.weight", "f288acf", anyValue}, // had no effect with scale 0
	{"search.early_stop", "f288acf", values("false")},
	{"search.forced_playouts", "f288acf", values("0")},
	{"search.fpu.mode", "f288acf", values("reduction")},
	{"search.graph", "f288acf", values("false")},
	{"search.gumbel.interior", "f288acf", values("puct")},
	{"search.gumbel.noise", "f288acf", values("1")},
	{"search.noise_scale", "f288acf", values("total")},
	{"search.policy_temperature", "f288acf", values("1")},
	{"search.root_cpuct_init", "f288acf", values("0")},
	{"search.root_fpu.mode", "f288acf", values("reduction")},
	{"search.root_policy_temperature", "f288acf", values("1")},
	{"search.share_evaluations", "f288acf", values("true")},
	{"search.win_tests.force", "f288acf", values("0")},
	{"selfplay.full_per", "f288acf", values("step")},
	{"selfplay.handicap_games", "f288acf", values("0")},
	{"selfplay.handicap_pieces", "f288acf", anyValue}, // had no effect with selfplay.handicap_games 0
	{"selfplay.limit_begin", "f288acf", values("0")},
	{"selfplay.limit_games", "f288acf", anyValue}, // had no effect with selfplay.limit_begin 0
	{"selfplay.limit_result", "f288acf", values("lead")},
	{"selfplay.older_opponents", "f288acf", values("0")},
	{"selfplay.recorded_openings", "f288acf", values("0")},
	{"selfplay.resign_below", "f288acf", values("0")},
	{"selfplay.resign_played", "f288acf", anyValue}, // had no effect with selfplay.resign_below 0
	{"selfplay.temperature_per", "f288acf", values("step")},
	{"selfplay.unit", "f288acf", values("step")},
	{"turns", "f288acf", anyValue}, // had no effect with selfplay.unit step
	{"unit", "f288acf", values("step")},
}

// A removal is a setting, or a section with all its settings, that no longer exists.
type removal struct {
	key    string   // dotted
	commit string   // one that still had it
	same   []string // values that mean what the program does now, the one to name first; nil if every value does
}

// anyValue is for a setting that had no effect by itself.
var anyValue []string

// values returns a list of values, each as [Write] writes it, text without quotation marks.
func values(list ...string) []string { return list }

// findRemoval returns the removal of a setting, or of a section that had it, or nil.
func findRemoval(key string) *removal {
	for i := range removed {
		if r := &removed[i]; within(key, r.key) {
			return r
		}
	}
	return nil
}

// hadSection reports whether key was a section with settings that are removed or renamed.
func hadSection(key string) bool {
	return slices.ContainsFunc(removed, func(r removal) bool { return within(r.key, key) }) ||
		slices.ContainsFunc(renamed, func(r renaming) bool { return within(r.old, key) })
}

// within reports whether key is the section, or is in it.
func within(key, section string) bool {
	return key == section || strings.HasPrefix(key, section+".")
}

// allows reports whether the value means what the program does now.
func (r *removal) allows(value string) bool {
	return r.same == nil || slices.ContainsFunc(r.same, func(s string) bool { return equal(s, value) })
}

// equal compares values as text and as numbers.
func equal(a, b string) bool {
	if a == b {
		return true
	}
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && x == y
}

// Error says that the setting was removed.
func (r *removal) Error() string {
	text := fmt.Sprintf("this setting was removed, and commit %s still had it", r.commit)
	if len(r.same) > 0 {
		text += fmt.Sprintf("; the program now always does what %s meant", r.same[0])
	}
	return text
}

// earlier handles a key of the file that is not a setting. It reports whether the key was one,
// or a section, in an earlier version.
func (r *reader) earlier(key string, value *yaml.Node) bool {
	gone := findRemoval(key)
	switch {
	case value.Kind == yaml.MappingNode && (gone != nil || hadSection(key)):
		if key == "search.win_tests" {
			olderWinTests(value)
		}
		r.section(key+".", value)
	case gone == nil:
		return r.rename(key, value)
	case value.Kind == yaml.ScalarNode && gone.allows(value.Value):
		if !slices.Contains(r.older.Removed, gone.key) {
			r.older.Removed = append(r.older.Removed, gone.key)
		}
	default:
		r.fail(value.Line, key, "%v", gone)
	}
	return true
}
