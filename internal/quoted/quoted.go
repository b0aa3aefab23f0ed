// Package quoted reads and writes lists of names, such as those of players, in which
// quotes keep separators from separating. The quotes are those of a shell: '...' or
// "..." keep everything between them, anywhere in a name, and there is no other escape.
package quoted

import (
	"fmt"
	"strings"
)

// Split splits text at each of the separators, which are ASCII, outside of quotes. The quotes remain.
func Split(text, separators string) (parts []string, err error) {
	var quote byte
	first := 0
	for i := range len(text) { // of bytes, because a path need not be UTF-8
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.IndexByte(separators, c) >= 0:
			parts = append(parts, text[first:i])
			first = i + 1
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c in %.100q is not closed: a name with this character is written in the other quotes", quote, text)
	}
	return append(parts, text[first:]), nil
}

// Words splits text at white space, as a shell does, and removes the quotes.
func Words(text string) (words []string, err error) {
	parts, err := Split(text, " \t\r\n")
	for _, part := range parts {
		if part != "" {
			words = append(words, Remove(part))
		}
	}
	return words, err
}

// Remove returns text without its quotes.
func Remove(text string) string {
	var plain strings.Builder
	var quote byte
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		default:
			plain.WriteByte(c)
		}
	}
	return plain.String()
}

// Add returns text in quotes if it is empty or has white space, quotes or the
// separators of a list of players. [Remove] gives the text back.
func Add(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\r\n,;:='\"") {
		return text
	}
	// Double quotes stand in single quotes, and all else in double quotes.
	parts := strings.Split(text, `"`)
	for i, part := range parts {
		if part != "" || len(parts) == 1 {
			parts[i] = `"` + part + `"`
		}
	}
	return strings.Join(parts, `'"'`)
}
