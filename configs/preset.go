package configs

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"warren/internal/nearest"
)

// The presets travel inside the program, so an installed binary finds them
// anywhere.
//
//go:embed *.yaml
var embedded embed.FS

// maxFile bounds a settings file, in bytes: whoever names a checkpoint instead
// gets one line and not its whole content parsed.
const maxFile = 1 << 20

// Presets returns the names of the embedded presets, sorted: "quick" for
// configs/quick.yaml.
func Presets() []string {
	entries, err := fs.ReadDir(embedded, ".")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// load returns the content of the settings file name and what to call it in
// messages. A file on disk comes first; where there is none, "quick",
// "quick.yaml" and "configs/quick.yaml" all mean the embedded preset. A path
// into any other folder never falls back to a preset.
func load(name string) (content []byte, source string, err error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.Mode().IsRegular():
		content, err = readFile(name)
		return content, name, err
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, name, fmt.Errorf("reading settings: %w", err)
	}
	slashed := strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	base := strings.TrimSuffix(strings.TrimPrefix(slashed, "configs/"), ".yaml")
	if content, err := embedded.ReadFile(base + ".yaml"); err == nil {
		return content, path.Join("configs", base+".yaml"), nil
	}
	if info != nil {
		return nil, name, fmt.Errorf("settings %s: not a file", name)
	}
	hint := "presets: " + strings.Join(Presets(), ", ")
	if near := nearest.Of(base, Presets()); near != "" {
		hint = fmt.Sprintf("did you mean the preset %s?", near)
	}
	return nil, name, fmt.Errorf("settings %s: no such file, and no preset of that name; %s", name, hint)
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading settings: %w", err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading settings %s: %w", name, err)
	}
	if len(content) > maxFile {
		return nil, fmt.Errorf("settings %s: larger than %d bytes, so not a settings file", name, maxFile)
	}
	return content, nil
}
