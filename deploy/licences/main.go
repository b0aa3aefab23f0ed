// Command licences prints the licences of everything that is linked into warren on a platform: of Go, and of
// each module. It fails if a module has no licence, or one that is not permissive.
//
//	go run ./deploy/licences linux/arm64 > LICENSES
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 || strings.Count(os.Args[1], "/") != 1 {
		fmt.Fprintln(os.Stderr, "licences: want a platform, such as linux/arm64")
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	if err := errors.Join(linked(out, os.Args[1]), out.Flush()); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// linked prints the licences of what is linked on a platform, such as linux/arm64.
func linked(w io.Writer, platform string) error {
	goos, goarch, _ := strings.Cut(platform, "/")
	packages, err := lines([]string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}, "list", "-deps",
		"-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/warren")
	if err != nil {
		return err
	}
	toolchain, err := lines(nil, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "The licence of Warren is in the file LICENSE. Warren contains the following.")
	if err := write(w, "Go, "+toolchain[1], []string{filepath.Join(toolchain[0], "LICENSE"), filepath.Join(toolchain[0], "PATENTS")}); err != nil {
		return err
	}
	files := map[string][]string{} // of each module
	for _, line := range packages {
		field := strings.Split(line, "\t") // the module, its directory, the package's directory
		found, err := texts(field[1], field[2])
		if err != nil {
			return err
		}
		files[field[0]] = append(files[field[0]], found...)
	}
	for _, module := range slices.Sorted(maps.Keys(files)) {
		slices.Sort(files[module])
		all := slices.Compact(files[module])
		if err := permissive(all); err != nil {
			return fmt.Errorf("%s: %w", module, err)
		}
		if err := write(w, module, all); err != nil {
			return err
		}
	}
	return nil
}

// lines runs the go command and returns the lines of its output.
func lines(env []string, args ...string) ([]string, error) {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), env...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}

// texts returns the files with licences and notices that hold for a package: those in its directory and in
// the directories above it, up to the module's.
func texts(module, dir string) ([]string, error) {
	var found []string
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case e.Name() == "THIRD_PARTY_LICENSES" && e.IsDir():
				third, err := filepath.Glob(filepath.Join(path, "*"))
				if err != nil {
					return nil, err
				}
				found = append(found, third...)
			case e.Type().IsRegular() && (isLicence(e.Name()) || strings.HasPrefix(e.Name(), "NOTICE") || e.Name() == "PATENTS"):
				found = append(found, path)
			}
		}
		if dir == module || len(dir) < len(module) {
			return found, nil
		}
		dir = filepath.Dir(dir)
	}
}

func isLicence(name string) bool {
	name = strings.ToUpper(name)
	return strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") || strings.HasPrefix(name, "COPYING")
}

// Sentences by which licences are known, without capitals and with single spaces.
var (
	allowed = []string{
		"permission is hereby granted, free of charge, to any person obtaining a copy",                   // MIT
		"redistribution and use in source and binary forms, with or without modification, are permitted", // BSD
		"apache license version 2.0, january 2004",
		"permission to use, copy, modify, and/or distribute this software for any purpose", // ISC
	}
	refused = []string{"general public license", "mozilla public license", "server side public license", "business source license", "commons clause"}
)

// permissive returns an error if there is no licence among the files of a module, or if one does not allow
// what MIT, BSD, Apache and ISC allow.
func permissive(files []string) error {
	seen := false
	for _, path := range files {
		if !isLicence(filepath.Base(path)) {
			continue
		}
		seen = true
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		plain := strings.Join(strings.Fields(strings.ToLower(string(text))), " ")
		within := func(sentence string) bool { return strings.Contains(plain, sentence) }
		if i := slices.IndexFunc(refused, within); i >= 0 {
			return fmt.Errorf("%s names the %s: read it, and use another module", path, refused[i])
		}
		if !slices.ContainsFunc(allowed, within) {
			return fmt.Errorf("%s is none of MIT, BSD, Apache and ISC: read it, and add it to the list if it allows as much", path)
		}
	}
	if !seen {
		return errors.New("there is no licence: use another module")
	}
	return nil
}

// write prints files below a heading.
func write(w io.Writer, heading string, files []string) error {
	fmt.Fprintf(w, "\n%s\n%s\n", strings.Repeat("=", 80), heading)
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\n-- %s --\n\n%s\n", filepath.Base(path), strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	return nil
}
