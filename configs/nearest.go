package configs

import "warren/internal/nearest"

// nearestKey is nearest.Of for dotted keys: it compares last names, and prefers a
// setting of the same section to one that only looks alike in another.
func nearestKey(key string, candidates []string) string {
	section, name := cut(key)
	best, least := "", 2*(len(name)/3+2)
	for _, c := range candidates {
		inSection, last := cut(c)
		d := 2 * nearest.Distance(name, last)
		if inSection != section {
			d++
		}
		if d < least {
			best, least = c, d
		}
	}
	return best
}
