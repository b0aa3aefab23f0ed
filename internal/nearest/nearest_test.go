package nearest

import (
	"testing"

	"pgregory.net/rapid"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"inti", "init", 1}, {"a", "a", 0}, {"ab", "ba", 1}, {"seed", "speed", 1}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringN(0, 8, -1).Draw(t, "a"), rapid.StringN(0, 8, -1).Draw(t, "b")
		d := Distance(a, b)
		if d != Distance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			t.Fatalf("Distance(%q, %q) = %d, the other way %d", a, b, d, Distance(b, a))
		}
	})
}

func TestHint(t *testing.T) {
	names := []string{"greedy", "random"}
	for name, want := range map[string]string{"randm": `; did you mean "random"?`, "alphabeta": "", "": ""} {
		if got := Hint(name, names); got != want {
			t.Errorf("the hint for %q is %q, want %q", name, got, want)
		}
	}
}
