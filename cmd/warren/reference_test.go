package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/reference/commands.md")

//go:generate go test -run TestCommandsPage . -update

// TestCommandsPage: docs/reference/commands.md has the help of every command, as the program prints it.
func TestCommandsPage(t *testing.T) {
	var page, help strings.Builder
	page.WriteString(`# Commands

<!-- Generated from the program: go generate ./cmd/warren -->

Each command prints its help with ` + "`-h`" + `. This page has them all, with the list of players only once.
A command that Ctrl-C or another signal ends before its work is done exits with status 130, so that ` + "`warren train && ...`" + `
does not go on. ` + "`play` at the board, `engine`, `page` and `docs`" + ` have no end of their own, and exit with 0.

| command | what it does |
|---|---|
`)
	for _, c := range commands() {
		names := []string{c.name}
		switch c.name {
		case "train":
			names = append(names, "train worker", "train server")
		case "export":
			names = append(names, "export games")
		}
		for i, name := range names {
			out, errors, status := warren(t, "COLUMNS=110", append(strings.Fields(name), "-h")...)
			if status != 0 {
				t.Fatalf("%s -h: status %d, %s", name, status, errors)
			}
			if name == "play" {
				before, list, _ := strings.Cut(out, "Opponents:\n")
				_, after, _ := strings.Cut(list, "\nExamples:\n")
				out = before + "Opponents: the players of warren evaluate.\n\nExamples:\n" + after
			}
			if i == 0 {
				fmt.Fprintf(&page, "| [`warren %s`](#warren-%s) | %s |\n", name, name, c.does)
			}
			fmt.Fprintf(&help, "\n## warren %s\n\n```text\n%s```\n", name, out)
		}
	}
	page.WriteString(help.String())
	const path = "../../docs/reference/commands.md"
	if *update {
		if err := os.WriteFile(path, []byte(page.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != page.String() {
		t.Errorf("docs/reference/commands.md is not what the program prints: go generate ./cmd/warren")
	}
}
