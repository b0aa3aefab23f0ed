package settings

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzRead checks that Read, for any bytes, either returns allowed settings or an
// error whose every line names its source. It must never panic.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", written, "seed: 1\nsearch: {visits: 3}", "a: &a [*a]", "<<: *x", "? {a: b}\n: c", "!!int seed: 0x1",
		"search:\n- 1", "\x00", "seed: 1\n---\n", "%YAML 1.1\n---\nseed: 1", "name: |\n  a\n b", "seed: !<tag:yaml.org,2002:float> 1"} {
		f.Add([]byte(seed), "search.visits=3")
	}
	f.Add([]byte("name: \"\\ud800\""), "a.b.c")
	f.Fuzz(func(t *testing.T, file []byte, set string) {
		got := defaults()
		if err := read("f", file, []string{set}, &got); err != nil {
			if got != defaults() {
				t.Errorf("Read failed, but changed the settings to %+v", got)
			}
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "f: ") && !strings.HasPrefix(line, "f:") && !strings.HasPrefix(line, "--set: ") {
					t.Errorf("the line %q of the error has no source", line)
				}
			}
			return
		}
		if err := Check(&got); err != nil {
			t.Error(err)
		}
		if err := Write(&bytes.Buffer{}, &got); err != nil {
			t.Error(err)
		}
	})
}
