// Package paper makes from measurements in the repository what the documents show of them: the table of ratings
// over costs (docs/research/cost.md, docs/research/cost.svg), the curve of the climb (docs/climb/curve.svg), and
// every figure, table and number of the paper (docs/paper/generated).
//
// The measurements are the runs in docs/runs, a file each; the tables in docs/paper/data, whose figures are on the
// pages that each row cites; and the games against the champion in docs/climb. The tests write the files:
//
//	go generate ./internal/paper
package paper

//go:generate go test -run TestGenerated . -update

import (
	"fmt"
	"os"
)

// Generate returns the content of every generated file by its path in the repository, whose directory is root.
func Generate(root string) (map[string][]byte, error) {
	all, err := rate(os.DirFS(root))
	if err != nil {
		return nil, fmt.Errorf("rating the runs: %w", err)
	}
	all.root = root
	files := map[string][]byte{}
	for _, write := range []func(*rated, map[string][]byte) error{costs, curves, tables, champion, recipes, numbers} {
		if err := write(all, files); err != nil {
			return nil, err
		}
	}
	return files, nil
}
