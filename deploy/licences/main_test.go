package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tests lists the modules that only tests use, with licences that are not permissive.
var tests = map[string]string{"pgregory.net/rapid": "MPL-2.0"}

// Every module that go.mod requires has a permissive licence, unless only tests use it.
func TestModulesArePermissive(t *testing.T) {
	if _, err := lines(nil, "mod", "download"); err != nil {
		t.Fatal(err) // some are for other platforms only, and no build here has downloaded them
	}
	modules, err := lines(nil, "list", "-m", "-f", "{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}", "all")
	if err != nil {
		t.Fatal(err)
	}
	required, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, line := range modules {
		path, dir, _ := strings.Cut(line, "\t")
		if path == "" || !strings.Contains(string(required), "\t"+path+" v") {
			continue
		}
		seen++
		files, err := texts(dir, dir)
		if err != nil {
			t.Fatal(err)
		}
		err = permissive(files)
		if (err != nil) != (tests[path] != "") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if want := strings.Count(string(required), " v"); seen != want {
		t.Errorf("looked at %d modules of go.mod, want %d", seen, want)
	}
}

func TestPermissive(t *testing.T) {
	const mit = "Permission is hereby granted, free of charge, to any person\nobtaining a copy of this software"
	for name, test := range map[string]struct {
		files map[string]string
		want  string // part of the error; "" for none
	}{
		"MIT":               {map[string]string{"LICENSE": mit}, ""},
		"another spelling":  {map[string]string{"licence.txt": mit}, ""},
		"nothing":           {map[string]string{"README": mit}, "no licence"},
		"GPL":               {map[string]string{"COPYING": "GNU GENERAL\nPUBLIC LICENSE"}, "general public license"},
		"two, one of them":  {map[string]string{"LICENSE": mit, "LICENSE.GPL": "GNU General Public License"}, "LICENSE.GPL"},
		"something unknown": {map[string]string{"LICENSE": "All rights reserved."}, "none of MIT"},
	} {
		var files []string
		for file, text := range test.files {
			path := filepath.Join(t.TempDir(), file)
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			files = append(files, path)
		}
		switch err := permissive(files); {
		case err == nil && test.want != "", err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// A package deep in a module is under the licences of all directories above it.
func TestTextsAreFoundAbove(t *testing.T) {
	module := t.TempDir()
	deep := filepath.Join(module, "a", "b")
	if err := os.MkdirAll(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"LICENSE", "NOTICE.txt", "README.md", "a/COPYING", "a/b/license.go.txt"} {
		if err := os.WriteFile(filepath.Join(module, file), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	found, err := texts(module, deep)
	if err != nil || len(found) != 4 {
		t.Errorf("found %q, %v, want four files", found, err)
	}
}
