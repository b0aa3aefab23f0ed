package recipe

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"warren/internal/settings"
)

// TestPresetsHoldWhatDiffers: every setting in a preset differs from its default, and a preset
// has at most 25 lines.
func TestPresetsHoldWhatDiffers(t *testing.T) {
	defaults := values(t, DefaultConfig())
	for _, name := range settings.Presets() {
		content, err := os.ReadFile(filepath.Join("..", "..", "configs", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(content, []byte("\n")); n > 25 {
			t.Errorf("%s has %d lines, want at most 25", name, n)
		}
		c := DefaultConfig()
		if err := settings.Read(name, nil, &c); err != nil {
			t.Fatal(err)
		}
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var given map[string]any
		if err := yaml.Unmarshal(content, &given); err != nil {
			t.Fatal(err)
		}
		now := values(t, c)
		var walk func(prefix string, section map[string]any)
		walk = func(prefix string, section map[string]any) {
			for key, value := range section {
				if inner, ok := value.(map[string]any); ok {
					walk(prefix+key+".", inner)
				} else if now[prefix+key] == defaults[prefix+key] {
					t.Errorf("%s: %s%s is the default", name, prefix, key)
				}
			}
		}
		walk("", given)
	}
}

// values returns the values of settings by key.
func values(t *testing.T, c Config) map[string]string {
	t.Helper()
	list, err := settings.List(c)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, s := range list {
		all[s.Key] = s.Value
	}
	return all
}

// TestPresetsShareTheRecipe: desktop and gpu begin as quick, and end with a larger network.
func TestPresetsShareTheRecipe(t *testing.T) {
	preset := func(name string) Config {
		c := DefaultConfig()
		if err := settings.Read(name, nil, &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	quick := preset("quick")
	for name, size := range map[string][2]int{"quick": {3, 32}, "desktop": {6, 64}, "gpu": {10, 128}} {
		c := preset(name)
		if last, err := c.Last(nil); err != nil || [2]int{last.Network.Blocks, last.Network.Channels} != size {
			t.Errorf("%s: the last network has %d blocks of %d channels, %v; want %d", name, last.Network.Blocks, last.Network.Channels, err, size)
		}
		if name == "desktop" && c.Network != quick.Network {
			t.Errorf("desktop begins with the network %+v, want that of quick: %+v", c.Network, quick.Network)
		}
		// These follow from the size, the length of the run or the device.
		play, window, learner := &c.SelfPlay, &c.Data, &c.Learner
		play.GamesPerWorker, play.Visits = quick.SelfPlay.GamesPerWorker, quick.SelfPlay.Visits
		window.WindowPositions, window.PolicyWindow, window.GamesPerShard = quick.Data.WindowPositions, quick.Data.PolicyWindow, quick.Data.GamesPerShard
		learner.Device, learner.Batch, learner.HeldOut = quick.Learner.Device, quick.Learner.Batch, quick.Learner.HeldOut
		for part, same := range map[string]bool{
			"search":            c.Search == quick.Search,
			"selfplay":          c.SelfPlay == quick.SelfPlay,
			"data":              c.Data == quick.Data,
			"learner":           c.Learner == quick.Learner,
			"network.heads":     c.Network.Auxiliary == quick.Network.Auxiliary,
			"loop.replay_ratio": c.Loop.ReplayRatio == quick.Loop.ReplayRatio,
		} {
			if !same {
				t.Errorf("%s: %s is not as in quick", name, part)
			}
		}
	}
}
