package net

import (
	"fmt"
	"os"
	"path/filepath"

	"warren/internal/durable"
)

// Newest returns the path of the newest network of the run in the directory path. Any
// other path is returned as it is: it is the network's own.
func Newest(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path, nil // whoever opens the file says what is wrong with it
	}
	all, err := durable.List(filepath.Join(path, "networks"), "gen-*.safetensors")
	if err != nil {
		return "", fmt.Errorf("looking for the networks of the run %s: %w", path, err)
	}
	if len(all) == 0 {
		return "", fmt.Errorf("%s is not the directory of a run that has trained: name one, or a .safetensors file", path)
	}
	return all[len(all)-1], nil
}
