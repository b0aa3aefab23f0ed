package main

import (
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	documents "warren"
	"warren/internal/recipe"
	"warren/internal/settings"
)

var (
	fenced = regexp.MustCompile("(?ms)^ *```\\w*\n(.*?)^ *```")
	inline = regexp.MustCompile("`([^`]+)`")
	// started matches the beginning of a command of ours: by go run, as a program, or after a prompt.
	started = regexp.MustCompile(`^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:go run \./cmd/|bin/)?(warren|train|selfplay) (.*)$`)
	aside   = regexp.MustCompile(`\s{2,}\S.*$|\s#\s.*$|\s[|<>]\s.*$|\s(?:2?>).*$`)
	// assigned matches a setting and its value, as --set, --variant, --factor and players have it.
	assigned = regexp.MustCompile(`\b((?:loop|network|selfplay|search|data|learner|match)\.[a-z_.0-9]+=[^\s,"';]+)`)
)

// anotherCommit matches commands in the form of their own commit, which had other settings.
var anotherCommit = regexp.MustCompile("[Aa]t commits? [0-9a-f]{7}.*(?:\n.+)*:\n\n```sh\n(?:.+\n)*")

// history matches the documents of what was tried in the past.
var history = regexp.MustCompile(`^docs/research/`)

// shown returns the commands of ours that a document shows in today's form, as their words.
func shown(text string) [][]string {
	var lines []string
	text = anotherCommit.ReplaceAllString(text, "")
	for _, block := range fenced.FindAllStringSubmatch(text, -1) {
		lines = append(lines, strings.Split(strings.ReplaceAll(block[1], "\\\n", " "), "\n")...)
	}
	text = fenced.ReplaceAllString(text, "")
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		if strings.HasPrefix(line, "    ") {
			lines = append(lines, line)
		}
	}
	for _, m := range inline.FindAllStringSubmatch(text, -1) {
		lines = append(lines, strings.Join(strings.Fields(m[1]), " "))
	}
	var all [][]string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if m := started.FindStringSubmatch(line); m != nil && !strings.ContainsAny(line, "…─") && !strings.Contains(line, "...") {
			arguments := words(aside.ReplaceAllString(strings.ReplaceAll(m[2], "    ", "  "), ""))
			if m[1] != "warren" {
				arguments = append([]string{m[1]}, arguments...)
			}
			all = append(all, arguments)
		}
	}
	return all
}

// words splits a command line as a shell does: at spaces that are not in quotes.
func words(line string) (all []string) {
	var word strings.Builder
	quote, within := rune(0), false
	for _, r := range line + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, within = r, true
		case quote == 0 && r == ' ':
			if (word.Len() > 0 || within) && !strings.HasPrefix(word.String(), "$") { // not a variable
				all = append(all, word.String())
			}
			word.Reset()
			within = false
		default:
			word.WriteRune(r)
		}
	}
	return all
}

// fine has what may be wrong with a command that is only shown: the reader's files are not here, as Unix and as
// Windows say it, and a sentence can name a flag without a value.
var fine = []string{"no such file or directory", "The system cannot find the", "-h looks like a flag"}

// TestCommandsInDocuments: the program accepts each command that a document shows: its words, its preset and its
// settings.
func TestCommandsInDocuments(t *testing.T) {
	seen := map[string]bool{}
	err := fs.WalkDir(documents.Documents, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" || name == "docs/reference/commands.md" {
			return err
		}
		text, err := fs.ReadFile(documents.Documents, name)
		if err != nil {
			return err
		}
		for _, command := range shown(string(text)) {
			line := strings.Join(command, " ")
			if seen[line] {
				continue
			}
			seen[line] = true
			t.Run(filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				// With -h the program parses the words, and then prints its help.
				_, errors, status := warren(t, "", append(slices.Clip(command), "-h")...)
				if status != 0 && !slices.ContainsFunc(fine, func(why string) bool { return strings.Contains(errors, why) }) {
					t.Errorf("%s: warren %s: %s", name, line, errors)
				}
				checkSettings(t, name, command)
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 60 {
		t.Errorf("found only %d commands", len(seen))
	}
}

// checkSettings reports a preset or a setting of a command that does not exist, and a value that is not allowed. What
// was tried in the past may have had settings that are gone.
func checkSettings(t *testing.T, name string, command []string) {
	preset := "quick"
	if i := slices.Index(command, "--config"); i >= 0 && i+1 < len(command) {
		preset = command[i+1]
	}
	base := strings.TrimSuffix(filepath.Base(preset), ".yaml")
	switch known := slices.Contains(settings.Presets(), base); {
	case known:
		preset = base
	case strings.HasSuffix(preset, ".yaml"), preset == strings.ToUpper(preset):
		preset = "quick" // a file of the reader's
	default:
		t.Errorf("%s: there is no preset %s", name, preset)
		return
	}
	var set []string
	for _, m := range assigned.FindAllStringSubmatch(strings.Join(command, " "), -1) {
		set = append(set, m[1])
	}
	for _, s := range set {
		c := recipe.DefaultConfig()
		err := settings.Read(preset, []string{s}, &c)
		if err != nil && !(history.MatchString(name) && strings.Contains(err.Error(), "was removed")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
