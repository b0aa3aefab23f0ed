package paper

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"regexp"

	"warren/internal/recipe"
	"warren/internal/settings"
)

var placeholder = regexp.MustCompile(`\{([a-z_.]+)\}`)

// recipes writes the settings of docs/paper/data/settings.tsv as the preset quick and stage 10 have them.
func recipes(r *rated, files map[string][]byte) error {
	t, err := readTable(r.sources, "docs/paper/data/settings.tsv")
	if err != nil {
		return err
	}
	var values []map[string]string
	for _, name := range []string{"quick", filepath.Join(r.root, "docs/climb/stage-10.yaml")} {
		v, err := valuesOf(name)
		if err != nil {
			return err
		}
		values = append(values, v)
	}
	b := bytes.NewBufferString(note)
	for i := range t.rows {
		b.WriteString(tex(t.cell(i, "what")))
		for _, v := range values {
			var unknown string
			text := placeholder.ReplaceAllStringFunc(t.cell(i, "value"), func(key string) string {
				value, ok := v[key[1:len(key)-1]]
				if !ok {
					unknown = key
				}
				return value
			})
			if unknown != "" {
				return fmt.Errorf("%s: there is no setting %s", t.name, unknown)
			}
			b.WriteString(" & " + tex(text))
		}
		b.WriteString(" \\\\\n")
	}
	files[generated+"settings.tex"] = b.Bytes()
	return nil
}

// valuesOf returns the value of every setting of a preset or a file, with commas in large counts.
func valuesOf(name string) (map[string]string, error) {
	c, err := recipe.Read(name, nil, io.Discard)
	if err != nil {
		return nil, err
	}
	list, err := settings.List(&c)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, s := range list {
		values[s.Key] = s.Value
		var n int
		if s.Type == "int" {
			if _, err := fmt.Sscan(s.Value, &n); err == nil {
				values[s.Key] = thousands(n)
			}
		}
	}
	return values, nil
}
