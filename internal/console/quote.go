package console

import (
	"regexp"
	"runtime"
	"strings"
)

// Quote returns a word as it must be typed in a command line of this system, in quotes if necessary. On Windows words
// with a quote, a dollar sign or a backtick are for cmd alone: no quoting suits PowerShell, too.
func Quote(word string) string { return quote(runtime.GOOS, word) }

func quote(goos, word string) string {
	special := " \t\n'\"`$&|;<>()[]{}*?!#~\\"
	if goos == "windows" {
		special = " \t\n'\"&|;,<>()^%!{}#@" // to cmd or to PowerShell
	}
	switch {
	case word != "" && !strings.ContainsAny(word, special):
		return word
	case goos == "windows":
		word = backslashes.ReplaceAllString(word, "$1$1$2")
		return `"` + strings.ReplaceAll(word, `"`, `\"`) + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// backslashes are those that Windows takes for an escape of the quote after them, within quotes.
var backslashes = regexp.MustCompile(`(\\+)("|$)`)

// quoteProgram is like quote for the program, the first word of a line. PowerShell runs no program in quotes, so on
// Windows one whose path needs them loses its directory.
func quoteProgram(goos, path string) string {
	if goos == "windows" && quote(goos, path) != path {
		path = path[strings.LastIndexAny(path, `/\`)+1:]
	}
	return quote(goos, path)
}
