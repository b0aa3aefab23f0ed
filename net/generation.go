package net

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"warren/internal/durable"
)

// GenerationName names the network of a generation among those of its run, such as gen-00012.
func GenerationName(generation int) string { return fmt.Sprintf("gen-%05d", generation) }

// GenerationFile returns the path of the network of a generation of the run in the directory run.
func GenerationFile(run string, generation int) string {
	return filepath.Join(run, "networks", GenerationName(generation)+".safetensors")
}

// Generations returns the generations that have a network in the directory of a run, in ascending order. There are
// none if there is no such directory.
func Generations(run string) ([]int, error) {
	paths, err := durable.List(filepath.Join(run, "networks"), "gen-*.safetensors")
	if err != nil {
		return nil, fmt.Errorf("looking for the networks of the run %s: %w", run, err)
	}
	all := []int{}
	for _, path := range paths {
		var n int
		if _, err := fmt.Sscanf(filepath.Base(path), "gen-%d", &n); err == nil && path == GenerationFile(run, n) {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all, nil
}

// Newest returns the path of the newest network of the run in the directory path. Any
// other path is returned as it is: it is the network's own.
func Newest(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path, nil // whoever opens the file says what is wrong with it
	}
	all, err := Generations(path)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", fmt.Errorf("%s is not the directory of a run that has trained: name one, or a .safetensors file", path)
	}
	return GenerationFile(path, all[len(all)-1]), nil
}
