package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
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
	return fmt.Sprintf("warren %s, %s, %s/%s", console.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
