package settings

import (
	"fmt"
	"io"
	"strings"
)

// Describe writes a table, for people to read, of every setting of v, a struct or a
// pointer to one. A row contains the dotted key, the type, the value in defaults,
// the value in v if it differs, and the allowed values. The doc, the origin of the default
// and the reason to change it follow below.
// The column of the values in v has the heading name. The argument defaults has the
// type of v. Empty lines separate sections.
func Describe(w io.Writer, defaults, v any, name string) error {
	list, err := fields(defaults)
	if err != nil {
		return fmt.Errorf("describing settings: %w", err)
	}
	chosen, err := fields(v)
	if err != nil {
		return fmt.Errorf("describing settings: %w", err)
	}
	heading := [5]string{"setting", "type", "default", name, "allowed"}
	var width [5]int
	rows := [][5]string{heading}
	for i, f := range list {
		row := [5]string{f.key}
		if !f.section {
			row = [5]string{f.key, typeName(f.value.Type()), quoteIfOdd(format(f.value)), quoteIfOdd(format(chosen[i].value)), f.allowed()}
			if row[3] == row[2] {
				row[3] = ""
			}
		}
		rows = append(rows, row)
	}
	for _, row := range rows {
		for i, cell := range row {
			// A long cell overflows its column instead of widening the table.
			most := 16
			if i == 0 {
				most = 32
			}
			width[i] = max(width[i], min(len(cell), most))
		}
	}

	var b strings.Builder
	line := func(row [5]string) {
		text := fmt.Sprintf("%-*s  %-*s  %-*s  %-*s  %s", width[0], row[0], width[1], row[1], width[2], row[2], width[3], row[3], row[4])
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
		f.explain(&b)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("describing settings: %w", err)
	}
	return nil
}

// explain writes the doc, the origin of the default and the reason to change it.
func (f *field) explain(b *strings.Builder) {
	origin := ""
	if f.origin != "" {
		origin = "Default: " + f.origin + "."
	}
	for _, part := range []string{f.doc, origin, f.change} {
		for _, text := range wrap(part, 92) {
			b.WriteString("    " + text + "\n")
		}
	}
}
