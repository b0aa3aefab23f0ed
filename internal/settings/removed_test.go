package settings

import (
	"strings"
	"testing"
)

func TestRemovedSettingsAreLeftOut(t *testing.T) {
	for _, c := range []struct {
		file, told string
	}{
		{"seed: 3\nselfplay:\n  unit: step\nturns:\n  candidates: 7\n  inner: {a: 1, b: x}\n", "removed, with values that change nothing: selfplay.unit, turns"},
		{"seed: 3\nselfplay: {unit: \"step\"}", "removed, with values that change nothing: selfplay.unit"},
		{"seed: 3\nselfplay: {setup_visits: 9}", "removed: selfplay.setup_visits (setups are not searched)"},
		{"seed: 3\nselfplay: {setup_temperature: 1.0}", "removed, with values that change nothing: selfplay.setup_temperature"},
		{"seed: 3\nselfplay: {setup_temperature: 2}", "removed: selfplay.setup_temperature (it is 1)"},
		{"seed: 3\nturns: {}\nselfplay: {}", ""},
	} {
		got, want := defaults(), defaults()
		want.Seed = 3
		r := &reader{}
		if err := r.apply("f", []byte(c.file), nil, &got); err != nil || got != want || r.older.String() != c.told {
			t.Errorf("%q: told %q, %v\ngot  %+v\nwant %+v", c.file, r.older, err, got, want)
		}
	}
}

func TestRemovedSettingsAreRefused(t *testing.T) {
	const gone = "this setting was removed, and commit f288acf still had it"
	const step = gone + "; the program now always does what step meant"
	for _, c := range []struct{ file, set, want string }{
		{"selfplay:\n  unit: turn", "seed=1", "f:2: selfplay.unit: " + step},
		{"selfplay:\n  unit: [step]", "seed=1", "f:2: selfplay.unit: " + step},
		{"turns: [1]", "seed=1", "f:1: turns: " + gone},
		{"selfplay: {unit: step, unti: 1}", "seed=1", "f:1: selfplay.unti: no such setting; the settings are"},
		{"selfplay.unit: step", "seed=1", "f:1: selfplay.unit: no such setting; the settings are"},
		{"", "selfplay.unit=step", "--set: selfplay.unit: " + step},
		{"", "turns.candidates=7", "--set: turns.candidates: " + gone},
		{"", "turns=7", "--set: turns: " + gone},
		{"", "selfplay.setup_temperature=1", "--set: selfplay.setup_temperature: this setting was removed, and commit d3e7a55 still had it; it is 1"},
		{"", "turnsx=7", "--set: turnsx: no such setting; the settings are"},
	} {
		got := defaults()
		err := read("f", []byte(c.file), []string{c.set}, &got)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(c.want, gone) && err.Error() != c.want || got != defaults() {
			t.Errorf("%q, %q:\ngot  %v\nwant %s", c.file, c.set, err, c.want)
		}
	}
}

// TestSettingsHavePrecedenceOverRemovedOnes: a setting of a struct is read, even if another
// struct had one with the same key.
func TestSettingsHavePrecedenceOverRemovedOnes(t *testing.T) {
	var s struct {
		Unit string `yaml:"unit"`
	}
	if err := read("f", []byte("unit: turn"), nil, &s); err != nil || s.Unit != "turn" {
		t.Errorf("%q, %v", s.Unit, err)
	}
	if err := read("f", nil, []string{"unit=game"}, &s); err != nil || s.Unit != "game" {
		t.Errorf("%q, %v", s.Unit, err)
	}
}

func TestRemovedValuesAreComparedAsNumbers(t *testing.T) {
	r := gone("lcb", "0", "0.5")
	for value, want := range map[string]bool{"0": true, "0.0": true, "5e-1": true, "1": false, "": false, "zero": false} {
		if r.means(value) != want {
			t.Errorf("%q: %t", value, r.means(value))
		}
	}
}

// TestRemovalsAreComplete: every removal has what its message needs.
func TestRemovalsAreComplete(t *testing.T) {
	for i, r := range removed {
		if r.key == "" || len(r.commit) < 7 || findRemoval(r.key) != &removed[i] {
			t.Errorf("%+v is incomplete, or another removal has its key", r)
		}
	}
}
