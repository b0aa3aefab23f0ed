package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"warren/internal/console"
	"warren/internal/eval/device"
	"warren/internal/kernel"
	"warren/internal/kernel/bf16"
)

const versionAbout = `Print the version of the program, and what this machine evaluates networks with.

Examples:
  warren version
  warren --version`

func version(c console.Command) {
	var flags struct{}
	c.Parse(&flags, versionAbout)
	c.Run(func(_ context.Context, out io.Writer) error {
		fmt.Fprintln(out, versionLine())
		var kernels []string
		for _, p := range kernel.Paths() {
			kernels = append(kernels, p.Name)
		}
		kernels = append(kernels, kernel.Int16)
		devices := device.Names()[1:] // without auto
		if _, err := bf16.AMX(); err == nil {
			kernels = append([]string{kernel.AMX}, kernels...)
		} else {
			devices = slices.DeleteFunc(devices, func(name string) bool { return name == kernel.AMX })
		}
		fmt.Fprintf(out, "kernels: %s\n", strings.Join(kernels, ", "))
		fmt.Fprintf(out, "devices: %s\n", strings.Join(devices, ", "))
		return nil
	})
}

// versionLine is the first line of what version prints.
func versionLine() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return fmt.Sprintf("warren %s, %s, %s/%s", built(info), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// built describes the version of the module and the commit that the program was built from, as far as
// the build knows them.
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
