package device

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/kernel"
	"warren/internal/kernel/bf16"
	"warren/internal/nettest"
	"warren/net"
)

func checkpoint(t *testing.T, meta map[string]string) string {
	t.Helper()
	return nettest.Save(t, filepath.Join(t.TempDir(), "gen-00007.safetensors"), nettest.New(t, nettest.Small, 1), meta)
}

func TestLoad(t *testing.T) {
	path := checkpoint(t, map[string]string{"run": "night", "generation": "7", "steps": "300", "samples": "76800", "games": "4500"})
	for _, name := range Names() {
		n, err := Load(path, name)
		if name == "amx" && err != nil && strings.Contains(err.Error(), "AMX") {
			t.Logf("not tested here: %v", err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if want := (eval.Origin{Path: path, Run: "night", Generation: 7, Steps: 300, Samples: 76800, Games: 4500}); n.Origin != want {
			t.Errorf("its origin is %+v, want %+v", n.Origin, want)
		}
		if n.Label() != "night/gen-00007.safetensors" || len(n.Hash) != 64 || !strings.HasPrefix(name, n.Attributes().Device) && n.Attributes().Device != "cpu" {
			t.Errorf("%s: %q, hash %q, %+v", name, n.Label(), n.Hash, n.Attributes())
		}
		s, err := n.Open(1)
		if err != nil {
			t.Fatal(err)
		}
		var b eval.Batch
		g := game.New()
		b.Add(g, g.Legal(nil))
		if err := eval.Evaluate(s, &b); err != nil || b.Value(0) <= 0 || b.Value(0) >= 1 {
			t.Errorf("%s: value %v, %v", name, b.Value(0), err)
		}
	}
}

// The fastest device follows from the processor, and WARREN_KERNEL counts more.
func TestFastest(t *testing.T) {
	c := net.Config{Blocks: 2, Channels: 32, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 4}
	want := map[string]string{"avx512": "int16", "avx2": "int16", "neon": "cpu", "go": "cpu"}[kernel.Best().Name]
	if _, err := bf16.AMX(); err == nil {
		want = "amx"
	}
	narrow := c
	narrow.Channels = 24
	for _, x := range []struct {
		c            net.Config
		kernel, want string
	}{{c, "", want}, {narrow, "", "cpu"}, {c, "go", "cpu"}} {
		t.Setenv(kernel.Variable, x.kernel)
		name := Fastest(x.c)
		if name != x.want {
			t.Errorf("%d channels, %s=%s: the fastest is %s, want %s", x.c.Channels, kernel.Variable, x.kernel, name, x.want)
		}
		if err := Check(name); err != nil {
			t.Errorf("%s is the fastest device and cannot be used: %v", name, err)
		}
	}
}

// int16/amx is named where there is a tile unit, and is refused for the lack of one elsewhere.
func TestInt16OnTiles(t *testing.T) {
	_, missing := bf16.AMX()
	if named := slices.Contains(Names(), int16OnTiles); named != (missing == nil) {
		t.Errorf("it is among the names: %v, but AMX: %v", named, missing)
	}
	if err := Check(int16OnTiles); (err == nil) != (missing == nil) || err != nil && !strings.Contains(err.Error(), "AMX") {
		t.Errorf("got %v, but AMX: %v", err, missing)
	}
}

func TestLoadRefuses(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.safetensors")
	if err := os.WriteFile(text, []byte("no network"), 0o666); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "none")
	for want, f := range map[string]func() error{
		text:                   func() error { _, err := Load(text, Auto); return err },
		missing:                func() error { _, err := Load(missing, Auto); return err },
		`did you mean "cp`:     func() error { _, err := Load(checkpoint(t, nil), "cpi"); return err },
		"generation as \"more": func() error { _, err := Load(checkpoint(t, map[string]string{"generation": "more"}), Auto); return err },
		"games as \"-1":        func() error { _, err := Load(checkpoint(t, map[string]string{"games": "-1"}), Auto); return err },
		"no device":            func() error { return Check("tpu") },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
	if err := Check(Auto); err != nil {
		t.Error(err)
	}
}
