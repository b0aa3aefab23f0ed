package configs

import (
	"fmt"
	"io"
	"strings"
)

// Describe writes a table, for people to read, of every setting of v, a struct or a
// pointer to one. A row contains the dotted key, the type, the value that v holds
// (under the heading "default") and the allowed values; the doc follows below it.
// Empty lines separate sections.
func Describe(w io.Writer, v any) error {
	list, err := fields(v)
	if err != nil {
		return fmt.Errorf("describing settings: %w", err)
	}
	heading := [4]string{"setting", "type", "default", "allowed"}
	var width [4]int
	rows := [][4]string{heading}
	for _, f := range list {
		row := [4]string{f.key}
		if !f.section {
			row = [4]string{f.key, typeName(f.value.Type()), quoteIfOdd(format(f.value)), f.allowed()}
		}
		rows = append(rows, row)
	}
	for _, row := range rows {
		for i, cell := range row {
			// A long cell overflows its column instead of widening the table.
			width[i] = max(width[i], min(len(cell), 32))
		}
	}

	var b strings.Builder
	line := func(row [4]string) {
		text := fmt.Sprintf("%-*s  %-*s  %-*s  %s", width[0], row[0], width[1], row[1], width[2], row[2], row[3])
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line(heading)
	inSection := false
	for i, f := range list {
		if f.section || inSection && f.parent() == "" {
			b.WriteByte('\n')
		}
		inSection = f.section || f.parent() != ""
		line(rows[i+1])
		for _, text := range wrap(f.doc, 92) {
			b.WriteString("    " + text + "\n")
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("describing settings: %w", err)
	}
	return nil
}
