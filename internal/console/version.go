package console

import (
	"runtime/debug"
	"strings"
)

// Version describes the version of the module and the commit that the program was built from, as far as
// the build knows them.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return built(info)
}

func built(info *debug.BuildInfo) string {
	version, commit, changed := info.Main.Version, "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	version = strings.TrimSuffix(version, "+dirty")
	// Without a tag, the version is only another name of the commit.
	if version == "" || version == "(devel)" || commit != "" && strings.HasSuffix(version, commit) {
		version = "development"
	}
	if commit != "" {
		commit = ", commit " + commit
	}
	return version + commit + changed
}
