package paper

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// table is a file of columns separated by tabs. The first line names the columns.
type table struct {
	name    string
	columns []string
	rows    [][]string
}

func readTable(repository fs.FS, name string) (*table, error) {
	text, err := fs.ReadFile(repository, name)
	if err != nil {
		return nil, err
	}
	t := &table{name: name}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if t.columns == nil {
			t.columns = cells
			continue
		}
		if len(cells) != len(t.columns) {
			return nil, fmt.Errorf("%s, line %d: %d columns, and the first line has %d", name, number, len(cells), len(t.columns))
		}
		t.rows = append(t.rows, cells)
	}
	if len(t.rows) == 0 {
		return nil, fmt.Errorf("%s has no rows", name)
	}
	return t, nil
}

// cell returns the text of a column in row i, empty if there is no such column.
func (t *table) cell(i int, column string) string {
	if c := slices.Index(t.columns, column); c >= 0 {
		return t.rows[i][c]
	}
	return ""
}

// plain returns a number without the commas between its thousands.
func plain(number string) string { return strings.ReplaceAll(number, ",", "") }
