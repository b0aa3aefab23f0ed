// Package plural writes numbers of things.
package plural

import "fmt"

// Of returns n and the noun, with an s unless n is 1: 1 game, 2 games.
func Of(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
