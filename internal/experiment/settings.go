package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warren/internal/recipe"
	"warren/internal/settings"
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

// differences lists the settings whose values differ, by key.
func differences(before, after recipe.Config) ([]Difference, error) {
	a, err := settings.List(before)
	if err != nil {
		return nil, err
	}
	b, err := settings.List(after)
	if err != nil {
		return nil, err
	}
	var list []Difference
	for i, s := range b {
		if a[i].Value != s.Value {
			list = append(list, Difference{s.Key, a[i].Value, s.Value})
		}
	}
	slices.SortFunc(list, func(x, y Difference) int { return cmp.Compare(x.Key, y.Key) })
	return list, nil
}
