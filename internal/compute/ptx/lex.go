package ptx

import "fmt"

// token is a word or a sign of PTX. A word is a name, a number, or an opcode with its suffixes.
type token struct {
	text string
	line int
}

// lex splits PTX into tokens.
func lex(text string) ([]token, error) {
	tokens := make([]token, 0, len(text)/4)
	line := 1
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case inWord(c):
			start := i
			for i < len(text) && (inWord(text[i]) || double(text, i)) {
				if text[i] == ':' {
					i++
				}
				i++
			}
			tokens = append(tokens, token{text[start:i], line})
		case c > ' ' && c < 0x7f:
			tokens = append(tokens, token{text[i : i+1], line})
			i++
		default:
			return nil, fmt.Errorf("line %d: the byte %#02x is not PTX", line, c)
		}
	}
	return tokens, nil
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%' || c == '.'
}

// double reports whether text has two colons at i, as in shared::cta. A label has one.
func double(text string, i int) bool {
	return text[i] == ':' && i+1 < len(text) && text[i+1] == ':'
}
