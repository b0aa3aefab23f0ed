package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"warren/configs"
	"warren/internal/durable"
	"warren/internal/nearest"
)

// maxFile is the largest size of a settings file, in bytes. It prevents a checkpoint
// that was named by mistake from being parsed.
const maxFile = 1 << 20

// Presets returns the sorted names of the embedded presets, such as "quick" for
// configs/quick.yaml.
func Presets() []string {
	entries, err := fs.ReadDir(configs.Files, ".")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// load returns the content of the settings file name, and the name to use for it in
// messages. A file on disk has precedence. If there is none, "quick", "quick.yaml"
// and "configs/quick.yaml" all name the embedded preset. A path into any other
// directory never refers to a preset.
func load(name string) (content []byte, source string, err error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.Mode().IsRegular():
		if content, err = durable.ReadFile(name, maxFile); err != nil {
			err = fmt.Errorf("reading settings: %w", err)
		}
		return content, name, err
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, name, fmt.Errorf("reading settings: %w", err)
	}
	slashed := strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	base := strings.TrimSuffix(strings.TrimPrefix(slashed, "configs/"), ".yaml")
	if content, err := configs.Files.ReadFile(base + ".yaml"); err == nil {
		return content, path.Join("configs", base+".yaml"), nil
	}
	if info != nil {
		return nil, name, fmt.Errorf("settings %s: not a file", name)
	}
	hint := "presets: " + strings.Join(Presets(), ", ")
	if near := nearest.Of(base, Presets()); near != "" {
		hint = fmt.Sprintf("did you mean the preset %s?", near)
	}
	return nil, name, fmt.Errorf("settings %s: there is no such file or preset; %s", name, hint)
}
