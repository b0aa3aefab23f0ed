package main

import (
	"bytes"
	"context"
	"errors"
	gonet "net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"warren/internal/recipe"
	"warren/internal/settings"
)

// What is there is said first, and then every problem with its number; problems are an error.
func TestExamine(t *testing.T) {
	fine := examination{"disk", func(context.Context) (string, string) { return "much\nmore", "" }}
	bad := examination{"port", func(context.Context) (string, string) { return "none", "Find one." }}
	worse := examination{"port", func(context.Context) (string, string) { return "none", "It has no a\nand no b." }}
	for _, c := range []struct {
		all       []examination
		out, fail string
	}{
		{[]examination{fine}, "disk       much\n           more\n\nNothing is wrong.\n", ""},
		{[]examination{bad, fine, bad}, "port       none\ndisk       much\n           more\nport       none\n\n1. Find one.\n2. Find one.\n", "there are 2 problems, as above"},
		{[]examination{worse}, "port       none\n\n1. It has no a; and no b.\n", "there is a problem, as above"},
	} {
		var out strings.Builder
		if err := examine(t.Context(), &out, c.all); out.String() != c.out || (err == nil) != (c.fail == "") || err != nil && err.Error() != c.fail {
			t.Errorf("%q, %v; want %q", out.String(), err, c.out)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := examine(ctx, &strings.Builder{}, []examination{fine}); !errors.Is(err, context.Canceled) {
		t.Errorf("after Ctrl-C: %v", err)
	}
}

// Each thing that can be wrong is found and has a remedy.
func TestProblems(t *testing.T) {
	taken, err := gonet.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	space := func(n uint64) func(string) (uint64, error) {
		return func(string) (uint64, error) { return n, nil }
	}
	for _, c := range []struct {
		name, there, remedy string
		look                func() (there, wrong string)
	}{
		{"a full disk", "0.5 GB free", "--run", func() (string, string) { return disk(".", space(5e8)) }},
		{"an empty disk", "9.0 GB free", "", func() (string, string) { return disk(".", space(9e9)) }},
		{"a disk that is unknown", "unknown: no", "", func() (string, string) {
			return disk(".", func(string) (uint64, error) { return 0, errors.New("no") })
		}},
		{"no directory", "none cannot be written", "another directory", func() (string, string) { return writable("none") }},
		{"a directory", "can be written", "", func() (string, string) { return writable(t.TempDir()) }},
		{"a port in use", "in use", "--http", func() (string, string) { return port(taken.Addr().String()) }},
		{"a free port", "is free", "", func() (string, string) { return port("127.0.0.1:0") }},
		{"the bundled network", "visits a second on", "", func() (string, string) { return searches(t.Context(), 50*time.Millisecond) }},
	} {
		there, wrong := c.look()
		if !strings.Contains(there, c.there) || (wrong == "") != (c.remedy == "") || !strings.Contains(wrong, c.remedy) || strings.Contains(wrong, "\n") {
			t.Errorf("%s: %q, %q", c.name, there, wrong)
		}
	}
	if n, err := free(t.TempDir()); err != nil || n == 0 {
		t.Errorf("%d bytes are free, %v", n, err)
	}
}

func TestOneCore(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if there, _ := processor(t.Context()); !strings.HasPrefix(there, "1 core, kernels ") {
		t.Errorf("%q", there)
	}
}

// The program examines this machine, and a run.
func TestDoctor(t *testing.T) {
	out, problems, status := warren(t, "", "doctor")
	for _, name := range []string{"version    warren ", "\nprocessor  ", "\ngraphics   ", "\nnetwork    warren, ", "\ndisk       ", "\ndirectory  ", "\nport       127.0.0.1:8080 "} {
		if !strings.Contains(out, name) {
			t.Errorf("%q is missing in %s", name, out)
		}
	}
	if (status == 0) != strings.Contains(out, "Nothing is wrong.") || (status == 0) != (problems == "") {
		t.Errorf("status %d, %q: %s", status, problems, out)
	}
	if out, _, status := warren(t, "WARREN_KERNEL=nonsense", "doctor"); status == 0 || !strings.Contains(out, "Unset the variable.") || strings.Contains(out, "Build the program again.") {
		t.Errorf("with a kernel that is none: status %d, %s", status, out)
	}
	run := t.TempDir()
	if _, problems, status := warren(t, "", "doctor", run); status == 0 || !strings.Contains(problems, "not the directory of a run") {
		t.Errorf("of no run: status %d, %q", status, problems)
	}
	c := recipe.DefaultConfig()
	var config bytes.Buffer
	if err := settings.Write(&config, &c); err != nil {
		t.Fatal(err)
	}
	for _, now := range []struct {
		config        []byte
		says, problem string
	}{
		{config.Bytes(), "\nNo file that the run needs to continue is damaged.\n", ""},
		{config.Bytes()[:config.Len()/2], "\n1. warren train refuses the run: ", "there is a problem, as above"},
	} {
		if err := os.WriteFile(filepath.Join(run, "config.yaml"), now.config, 0o666); err != nil {
			t.Fatal(err)
		}
		out, problem, status := warren(t, "", "doctor", run)
		if !strings.HasPrefix(out, "Nothing has been measured yet.") || !strings.Contains(out, "Is my run healthy?") || !strings.Contains(out, now.says) ||
			(status == 0) != (now.problem == "") || !strings.Contains(problem, now.problem) {
			t.Errorf("of a new run: status %d, %q, %s", status, problem, out)
		}
	}
}
