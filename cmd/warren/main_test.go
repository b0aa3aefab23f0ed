package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
		out, errors, status = warren(t, console.Completing+"=1", c.name)
		if status != 0 || errors != "" || !strings.Contains(out, "--help\n") {
			t.Errorf("%s: the flags are %q, status %d, %q", c.name, out, status, errors)
		}
	}
	if out, errors, status := warren(t, "", "help", "train", "worker"); status != 0 || !strings.HasPrefix(out, "Usage: warren train worker") {
		t.Errorf("help train worker: status %d, %.60q, %q", status, out, errors)
	}
	for want, args := range map[string][]string{
		"warren train: error: -config: flags have two dashes\n": {"train", "-config", "quick"},
		"warren train: error: --from needs a value\n":           {"train", "--config", "none", "--from", ""},
	} {
		if out, errors, status := warren(t, "", args...); out != "" || errors != want || status != 80 {
			t.Errorf("%q: status %d, %q, %q", args, status, out, errors)
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

// The documents are served or written, not both.
func TestDocumentsAreServedOrWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	if _, errors, status := warren(t, "", "docs", "--write", dir, "--http", "127.0.0.1:0"); status == 0 || !strings.Contains(errors, "--http and --write can't be used together") {
		t.Errorf("both: status %d, %q", status, errors)
	}
	if out, errors, status := warren(t, "", "docs", "--write", dir); status != 0 || !strings.HasPrefix(out, "Wrote ") {
		t.Errorf("status %d, %q, %q", status, out, errors)
	}
}

func TestVersion(t *testing.T) {
	out, errors, status := warren(t, "", "version")
	if status != 0 || errors != "" || !strings.HasPrefix(out, "warren ") || !strings.Contains(out, "\nkernels: ") || !strings.Contains(out, "\ndevices: cpu") {
		t.Errorf("status %d, %q, %q", status, out, errors)
	}
	// A path that this processor lacks is neither a kernel nor a device.
	if lines := strings.Split(out, "\n"); strings.Contains(lines[1], "amx") != strings.Contains(lines[2], "amx") {
		t.Errorf("amx is only in one of %q and %q", lines[1], lines[2])
	}
}

// Bash and fish complete commands, the words that a command knows, flags and files, each only where it can be.
// A command that reads its standard input does not run.
func TestCompletion(t *testing.T) {
	for shell := range scripts {
		out, errors, status := warren(t, "", "completion", shell)
		if status != 0 || errors != "" || strings.Contains(out, "VARIABLE") {
			t.Errorf("%s: status %d, %q, %q", shell, status, out, errors)
		}
	}
	dir, home := t.TempDir(), t.TempDir() // fish leaves files at home
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "warren")); err != nil {
		t.Skip("no links here: ", err)
	}
	// Bash takes files by itself where the function offers nothing.
	complete := map[string]string{
		"bash": `complete() { :; }; source /dev/stdin <<<"$(warren completion bash)"; COMP_WORDS=(LINE); [[ "LINE" != *" " ]] || COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _warren
			((${#COMPREPLY[@]})) || COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")); printf '%s\n' "${COMPREPLY[@]}"`,
		"fish": `warren completion fish | source; complete -C "LINE"`,
	}
	for shell, script := range complete {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("there is no %s", shell)
			continue
		}
		for line, want := range map[string]string{
			"warren ev":              "evaluate",
			"warren completion f":    "fish",
			"warren play --lev":      "--level",
			"warren perft --rep":     "--replay",
			"warren train --conf":    "--config",
			"warren play a":          "a.yaml",
			"warren train --config ": "a.yaml warren",
			"warren zzz -":           "",
			"warren help no":         "",
		} {
			c := exec.Command(path, "-c", strings.ReplaceAll(script, "LINE", line))
			c.Dir = dir
			c.Env = append(os.Environ(), "WARREN_TEST=1", "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+home)
			out, err := c.CombinedOutput()
			var got []string
			for line := range strings.Lines(string(out)) {
				word, _, _ := strings.Cut(strings.TrimSpace(line), "\t") // a description follows
				if word != "" {
					got = append(got, word)
				}
			}
			slices.Sort(got)
			if err != nil || strings.Join(got, " ") != want {
				t.Errorf("%s: %q is completed to %q, %v, want %q", shell, line, got, err, want)
			}
		}
	}
}
