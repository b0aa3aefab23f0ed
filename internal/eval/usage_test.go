package eval_test

import (
	"testing"
	"testing/synctest"
	"time"

	"warren/internal/eval"
	"warren/internal/eval/evaltest"
)

// The time of batches that overlap counts once, and that between batches not at all. The clock is that of
// the bubble.
func TestUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var u eval.Usage
		expect := func(want time.Duration) {
			t.Helper()
			if got := u.Busy(); got != want {
				t.Errorf("busy for %v, want %v", got, want)
			}
		}
		time.Sleep(time.Second)
		expect(0)
		u.Begin()
		time.Sleep(time.Millisecond)
		u.Begin()
		time.Sleep(2 * time.Millisecond)
		u.End()
		expect(3 * time.Millisecond)
		time.Sleep(4 * time.Millisecond)
		expect(7 * time.Millisecond)
		u.End()
		time.Sleep(time.Second)
		expect(7 * time.Millisecond)
	})
	if busy := (*eval.Usage)(nil).Busy(); busy != 0 {
		t.Errorf("no device was busy for %v", busy)
	}
}

// The usage of a device reaches through the wrappers, and that of several is the mean of theirs.
func TestUsageOfAPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		device := func(name string, takes time.Duration) eval.Backend {
			return eval.Checked(&evaltest.Device{Backend: eval.Uniform{}, Name: name, Best: 4, Depth: 1, Fault: func(int) error {
				time.Sleep(takes)
				return nil
			}}, eval.Uniform{})
		}
		a, b := device("a", 2*time.Millisecond), device("b", 6*time.Millisecond)
		m := eval.Merge(a, b)
		s := opened(t, m)
		for range 2 { // full batches, one for each device
			if err := s.Submit(positions(1, 4)); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if _, err := s.Collect(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		for name, c := range map[string]struct {
			of   eval.Backend
			want time.Duration
		}{"a": {a, 2}, "b": {b, 6}, "pool": {m, 4}, "alone": {eval.Merge(b), 6}} {
			if got := c.of.Attributes().Usage.Busy(); got != c.want*time.Millisecond {
				t.Errorf("%s was busy for %v, want %d ms", name, got, c.want)
			}
		}
		s.Close()
	})
}
