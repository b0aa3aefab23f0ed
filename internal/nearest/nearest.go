// Package nearest finds the name that a mistyped name was probably meant to be.
package nearest

import "fmt"

// Of returns the candidate with the smallest [Distance] from name, the first if there
// are several. It returns "" if every distance is more than len(name)/3 + 1.
func Of(name string, candidates []string) string {
	best, least := "", len(name)/3+2
	for _, c := range candidates {
		if d := Distance(name, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// Hint returns the question after a mistyped name, as in `; did you mean "random"?`, or
// "" if no candidate is near.
func Hint(name string, candidates []string) string {
	if near := Of(name, candidates); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// Distance returns the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment; Damerau 1964, Levenshtein
// 1966). It counts bytes, which suits ASCII names.
func Distance(a, b string) int {
	// Three rows of the table, because a swap refers to the row before the last.
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, prev, row = prev, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := prev[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, prev[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
