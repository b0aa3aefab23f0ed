package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
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
		fmt.Fprintf(out, "warren %s, %s, %s/%s\n", built(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		var kernels []string
		for _, p := range kernel.Paths() {
			kernels = append(kernels, p.Name)
		}
		if _, err := bf16.AMX(); err == nil {
			kernels = append([]string{kernel.AMX}, kernels...)
		}
		fmt.Fprintf(out, "kernels: %s\n", strings.Join(kernels, ", "))
		fmt.Fprintf(out, "devices: %s\n", strings.Join(device.Names()[1:], ", "))
		return nil
	})
}

// built returns the version of the module and the commit that the program was built from, as far as
// the build knows them.
func built() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "of unknown version"
	}
	version, commit, changed := info.Main.Version, "", ""
	if version == "" || version == "(devel)" {
		version = "development"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = ", commit " + s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	return version + commit + changed
}
