package replay

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"warren/data/datatest"
)

// fields returns the fields of a window as text, without those that become renews by itself or keeps.
func fields(w *Window) map[string]string {
	all := map[string]string{}
	v := reflect.ValueOf(w).Elem()
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; !slices.Contains([]string{"mu", "changes", "filling", "setups", "setupsFor", "teacher"}, name) {
			all[name] = fmt.Sprint(v.Field(i))
		}
	}
	return all
}

// TestBecome: a window becomes another in every field.
func TestBecome(t *testing.T) {
	c := outcomes()
	w := NewWindow(400, c)
	c.QRatio, c.PolicyShare, c.PolicyWindow = 0.5, 0.25, 100
	other := NewWindow(300, c)
	for i, r := range datatest.Records(0, 30, 60) {
		if i < 4 {
			w.Add(uint64(i), r)
		}
		other.Add(uint64(i), r)
	}
	before, want := fields(w), fields(other)
	for name := range want {
		if before[name] == want[name] {
			t.Errorf("%s is the same in both, %s", name, want[name])
		}
	}
	w.become(other)
	for name, got := range fields(w) {
		if got != want[name] {
			t.Errorf("%s is %s, want %s", name, got, want[name])
		}
	}
}

// TestPolicyWindowOfHeldOutGames: the policy window of the held-out games is in proportion to theirs, rounded up, because 0
// means all.
func TestPolicyWindowOfHeldOutGames(t *testing.T) {
	for policy, want := range map[int]int{0: 0, 1: 1, 100: 20, 101: 21} {
		c := Config{WindowPositions: 1000, PolicyWindow: policy, HeldOutFraction: 0.2}
		if p := NewWindows(c); p.HeldOut.policyPositions != want || p.Train.policyPositions != policy || p.HeldOut.bound != 200 {
			t.Errorf("%d: the held-out games have the policy window %d of %d positions, those to train on %d", policy, p.HeldOut.policyPositions, p.HeldOut.bound, p.Train.policyPositions)
		}
	}
}
