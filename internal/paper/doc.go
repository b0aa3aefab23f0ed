// Package paper makes from measurements in the repository what documents show of them: the table of ratings over
// costs (docs/research/cost.md, docs/research/cost.svg) and the curve of the climb (docs/climb/curve.svg). The
// measurements are the runs in docs/runs, a file each. A test writes the files:
//
//	go generate ./internal/paper
package paper

//go:generate go test -run TestGenerated . -update

import (
	"fmt"
	"io/fs"
)

// Generate returns the content of every generated file by its path in the repository, whose root is repository.
func Generate(repository fs.FS) (map[string][]byte, error) {
	all, err := rate(repository)
	if err != nil {
		return nil, fmt.Errorf("rating the runs: %w", err)
	}
	files := map[string][]byte{}
	for _, write := range []func(*rated, map[string][]byte) error{costs} {
		if err := write(all, files); err != nil {
			return nil, err
		}
	}
	return files, nil
}
