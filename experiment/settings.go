package experiment

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"warren/configs"
)

// Difference is a setting that two variants do not share.
type Difference struct {
	Key    string `json:"key"` // dotted, such as search.cpuct_init
	Before string `json:"before"`
	After  string `json:"after"`
}

// describe names the settings that differ, by key and values.
func describe(list []Difference) string {
	var words []string
	for _, d := range list {
		words = append(words, fmt.Sprintf("`%s` %s instead of %s", d.Key, d.After, d.Before))
	}
	if words == nil {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// differences lists the settings whose values differ between two structs of
// settings of one type, by key.
func differences(before, after any) ([]Difference, error) {
	a, err := values(before)
	if err != nil {
		return nil, err
	}
	b, err := values(after)
	if err != nil {
		return nil, err
	}
	var list []Difference
	for key, value := range b {
		if a[key] != value {
			list = append(list, Difference{key, a[key], value})
		}
	}
	slices.SortFunc(list, func(x, y Difference) int { return cmp.Compare(x.Key, y.Key) })
	return list, nil
}

// values returns the values of a struct of settings by dotted key.
func values(settings any) (map[string]string, error) {
	var text bytes.Buffer
	if err := configs.Write(&text, settings); err != nil {
		return nil, err
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text.Bytes(), &root); err != nil {
		return nil, fmt.Errorf("comparing settings: %w", err)
	}
	all := map[string]string{}
	for _, section := range root.Content {
		flatten(all, "", section)
	}
	return all, nil
}

func flatten(all map[string]string, prefix string, section *yaml.Node) {
	for i := 0; i+1 < len(section.Content); i += 2 {
		key, value := prefix+section.Content[i].Value, section.Content[i+1]
		if value.Kind == yaml.MappingNode {
			flatten(all, key+".", value)
			continue
		}
		all[key] = value.Value
	}
}
