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
// still had the setting. A removal may allow every value of a file; the reader then tells what the
// program does instead.
//
// A setting of a struct has precedence over a removed setting with the same key. An entry key=value is
// one value of a setting that still exists.
var removed = slices.Concat(
	lastIn("f288acf",
		gone("data.length_power", "0"),
		gone("data.no_result", "nothing"),
		gone("data.window_fraction", "0"),
		gone("learner.optimizer.beta1", "0.9"),
		gone("learner.optimizer.beta2", "0.999"),
		gone("learner.optimizer.epsilon", "1e-08"),
		gone("learner.rate.drops"), // had no effect with learner.rate.schedule cosine
		gone("learner.rate.factor"),
		gone("learner.rate.schedule", "cosine"),
		gone("match.gatekeeper.alpha", "0.05"),
		gone("match.gatekeeper.beta", "0.05"),
		gone("match.gatekeeper.elo0", "0"),
		gone("match.gatekeeper.elo1", "35"),
		gone("match.search", "search.stopped_penalty=0 search.lost_visits=false search.win_tests.steps=100 search.capture_prior=0.35",
			"search.proofs=true search.win_tests.on=true search.win_tests.steps=100"), // the second of the presets smoke and default, whose matches only test the program
		gone("match.temperature", "1"),
		gone("match.temperature_turns", "4"),
		gone("search.choice_offset", "0"),
		gone("search.cpuct_spread.prior"), // had no effect with scale 0
		gone("search.cpuct_spread.scale", "0"),
		gone("search.cpuct_spread.weight"), // had no effect with scale 0
		gone("search.early_stop", "false"),
		gone("search.forced_playouts", "0"),
		gone("search.fpu.mode", "reduction"),
		gone("search.graph", "false"),
		gone("search.gumbel.interior", "puct"),
		gone("search.gumbel.noise", "1"),
		gone("search.noise_scale", "total"),
		gone("search.policy_temperature", "1"),
		gone("search.root_cpuct_init", "0"),
		gone("search.root_fpu.mode", "reduction"),
		gone("search.root_policy_temperature", "1"),
		gone("search.share_evaluations", "true"),
		gone("search.win_tests.force", "0"),
		gone("selfplay.fast_choice", "best").instead("the step with the most visits is played"), // later fast_move_selection
		gone("selfplay.full_per", "step"),
		gone("selfplay.handicap_games", "0"),
		gone("selfplay.handicap_pieces"), // had no effect with selfplay.handicap_games 0
		gone("selfplay.limit_begin", "0"),
		gone("selfplay.limit_games"), // had no effect with selfplay.limit_begin 0
		gone("selfplay.limit_result", "lead"),
		gone("selfplay.older_opponents", "0"),
		gone("selfplay.recorded_openings", "0"),
		gone("selfplay.resign_below", "0"),
		gone("selfplay.resign_played"), // had no effect with selfplay.resign_below 0
		gone("selfplay.temperature_per", "step"),
		gone("selfplay.unit", "step"),
		gone("turns"), // had no effect with selfplay.unit step
		gone("unit", "step"),
	),
	lastIn("d3e7a55",
		gone("selfplay.setup_temperature", "1").instead("it is 1"),
		gone("selfplay.setup_visits").instead("setups are not searched"),
		gone("selfplay.setups").instead("they are drawn from the policy"),
		gone("setups=search"), // of players
	),
	lastIn("b91f364",
		gone("match.turn_limit", "200"),
	),
	lastIn("17dd102",
		gone("selfplay.fast_move_selection", "best").instead("the step with the most visits is played"),
	),
)

// A removal is a setting, or a section with all its settings, that no longer exists.
type removal struct {
	key    string   // dotted; with =value if only that value is gone
	same   []string // values that mean what the program does now, the one to name first
	now    string   // what the program does instead of any other value; empty if it refuses those
	commit string   // one that still had it
}

// gone returns a removal without its commit. The values are as [Write] writes them, text without quotation
// marks. A setting that had no effect by itself has none.
func gone(key string, same ...string) removal { return removal{key: key, same: same} }

// instead returns the removal for a setting whose other values are left out too.
func (r removal) instead(now string) removal {
	r.now = now
	return r
}

// lastIn sets the commit of removals.
func lastIn(commit string, list ...removal) []removal {
	for i := range list {
		list[i].commit = commit
	}
	return list
}

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

// means reports whether the value means what the program does now.
func (r *removal) means(value string) bool {
	return r.same == nil && r.now == "" || slices.ContainsFunc(r.same, func(s string) bool { return equal(s, value) })
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
	switch {
	case r.now != "":
		text += "; " + r.now
	case len(r.same) > 0:
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
	case value.Kind != yaml.ScalarNode || !r.older.leave(gone, value.Value):
		r.fail(value.Line, key, "%v", gone)
	}
	return true
}

// leave leaves a value of a removed setting out. It reports whether the removal allows that.
func (o *Older) leave(gone *removal, value string) bool {
	list, text := &o.Removed, gone.key
	switch {
	case gone.means(value):
	case gone.now == "":
		return false
	default:
		list, text = &o.Changed, text+" ("+gone.now+")"
	}
	if !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
	return true
}

// Leave reports whether a word of the form key=value, from a file, sets a removed setting to a value that a file may
// have. Such a word is to be left out, and Leave adds the setting to o.
func (o *Older) Leave(word string) bool {
	key, value, _ := strings.Cut(word, "=")
	gone := findRemoval(key)
	return gone != nil && o.leave(gone, value)
}
