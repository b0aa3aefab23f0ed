package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warren/internal/recipe"
	"warren/internal/settings"
)

// describe names the settings that differ, by key and values.
func describe(list []settings.Change) string {
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
func differences(before, after recipe.Config) ([]settings.Change, error) {
	list, err := settings.Changes(before, after)
	slices.SortFunc(list, func(x, y settings.Change) int { return cmp.Compare(x.Key, y.Key) })
	return list, err
}
