package settings

import (
	"strings"

	"warren/internal/nearest"
)

// nearestKey is like nearest.Of for dotted keys. It compares the last names. Of two
// equally similar settings it prefers the one in the same section as key. It never returns
// a section that key is in.
func nearestKey(key string, candidates []string) string {
	section, name := cut(key)
	best, least := "", 2*(len(name)/3+2)
	for _, c := range candidates {
		if strings.HasPrefix(key, c+".") {
			continue // the section that key is in
		}
		inSection, last := cut(c)
		d := 2 * nearest.Distance(name, last)
		if d >= max(len(name), len(last)) {
			continue // they share less than half
		}
		if inSection != section {
			d++
		}
		if d < least {
			best, least = c, d
		}
	}
	return best
}
