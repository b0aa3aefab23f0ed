package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"warren/internal/console"
)

// TestMain runs the program if a test has started this binary as the program.
func TestMain(m *testing.M) {
	if os.Getenv("WARREN_TEST") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// warren runs the program and returns its output, its errors and its exit status.
func warren(t *testing.T, env string, args ...string) (out, errors string, status int) {
	t.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), "WARREN_TEST=1", env)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
}

// Warren alone says in about ten lines what one can do, and names every command.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"-h"}, {"--help"}, {"help"}} {
		out, _, status := warren(t, "", args...)
		if lines := strings.Count(out, "\n"); status != 0 || lines > 11 {
			t.Errorf("%v: status %d, %d lines", args, status, lines)
		}
		for _, c := range commands() {
			if !strings.Contains(out, c.name) {
				t.Errorf("%v: the usage does not name %s", args, c.name)
			}
		}
	}
}

// Every command has help that begins with its full name, and lists its flags for completion.
func TestCommandsExplainThemselves(t *testing.T) {
	for _, c := range commands() {
		out, errors, status := warren(t, "", c.name, "-h")
		if status != 0 || errors != "" || !strings.HasPrefix(out, "Usage: warren "+c.name) {
			t.Errorf("%s -h: status %d, %.60q, %q", c.name, status, out, errors)
		}
		if c.name == "perft" {
			continue // its own parser
		}
		out, errors, status = warren(t, console.Completing+"=1", c.name)
		if status != 0 || errors != "" || !strings.Contains(out, "--help\n") {
			t.Errorf("%s: the flags are %q, status %d, %q", c.name, out, status, errors)
		}
	}
}

func TestUnknownCommand(t *testing.T) {
	for word, want := range map[string]string{"pley": "did you mean play?", "zzzzzzzz": "warren alone lists them"} {
		out, errors, status := warren(t, "", word)
		if out != "" || status != 2 || strings.Count(errors, "\n") != 1 || !strings.Contains(errors, want) {
			t.Errorf("%s: status %d, %q, want one line with %q", word, status, errors, want)
		}
	}
}

func TestVersion(t *testing.T) {
	out, errors, status := warren(t, "", "version")
	if status != 0 || errors != "" || !strings.HasPrefix(out, "warren ") || !strings.Contains(out, "\nkernels: ") || !strings.Contains(out, "\ndevices: cpu") {
		t.Errorf("status %d, %q, %q", status, out, errors)
	}
}

// The scripts are complete: bash reads its own, and completes a command and a flag.
func TestCompletion(t *testing.T) {
	for shell := range scripts {
		out, errors, status := warren(t, "", "completion", shell)
		if status != 0 || errors != "" || !strings.Contains(out, strings.Join(names(commands()), " ")) || strings.Contains(out, "COMMANDS") || strings.Contains(out, "VARIABLE") {
			t.Errorf("%s: status %d, %q, %q", shell, status, out, errors)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	script, _, _ := warren(t, "", "completion", "bash")
	for line, want := range map[string]string{"COMP_WORDS=(P ev); COMP_CWORD=1": "evaluate", "COMP_WORDS=(P play --lev); COMP_CWORD=2": "--level"} {
		c := exec.Command(bash, "-c", script+strings.Replace(line, "(P", "("+os.Args[0], 1)+"; _warren; echo ${COMPREPLY[@]}")
		c.Env = append(os.Environ(), "WARREN_TEST=1")
		if got, err := c.CombinedOutput(); err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%s: %q, %v, want %q", line, got, err, want)
		}
	}
}
