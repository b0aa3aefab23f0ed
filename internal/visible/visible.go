// Package visible makes text that comes from outside safe to show: from a file, from another
// program or from another machine. A terminal obeys what it shows, so text with control
// characters could erase lines, hide words or type commands.
package visible

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns text with every character that is not printable, such as a control character, a
// line break or a mark of direction, written as an escape of Go: \x1b, \n, \u202e.
func Text(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if hidden(r) || r == utf8.RuneError && n == 1 {
			quoted := strconv.QuoteToASCII(text[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

func hidden(r rune) bool { return !unicode.IsPrint(r) }
