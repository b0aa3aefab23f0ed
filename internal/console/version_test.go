package console

import (
	"runtime/debug"
	"testing"
)

// The version is that of a tag, or else the commit says what it is.
func TestBuilt(t *testing.T) {
	const commit = "b91f364ee17a0c2d5b8f0a3e5c6d7e8f90a1b2c3"
	for _, test := range []struct{ version, commit, modified, want string }{
		{"", "", "", "development"},
		{"(devel)", "", "", "development"},
		{"v0.1.0", commit, "false", "v0.1.0, commit b91f364ee17a"},
		{"v0.1.0+dirty", commit, "true", "v0.1.0, commit b91f364ee17a with changes"},
		{"v0.0.0-20261126211517-b91f364ee17a+dirty", commit, "true", "development, commit b91f364ee17a with changes"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: test.version}}
		if test.commit != "" {
			info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: test.commit}, {Key: "vcs.modified", Value: test.modified}}
		}
		if got := built(info); got != test.want {
			t.Errorf("%s: %q, want %q", test.version, got, test.want)
		}
	}
}
