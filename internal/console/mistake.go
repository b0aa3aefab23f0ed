package console

import (
	"errors"
	"reflect"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// explain returns an error of the parser's about the value of a flag or an argument in the words in
// which package settings speaks of a setting, and says of a flag with one dash that it has two. Other
// errors stay as they are.
func explain(err error, words []string) error {
	if err != nil && oneDash.MatchString(err.Error()) {
		for _, word := range words {
			if flag := long.FindString(word); flag != "" {
				return explained{err, flag + ": flags have two dashes"}
			}
		}
	}
	for _, m := range mistakes {
		if err != nil && m.theirs.MatchString(err.Error()) {
			return explained{err, m.theirs.ReplaceAllString(err.Error(), m.ours)}
		}
	}
	return err
}

// explained is an error with another text. It keeps the exit status.
type explained struct {
	error
	text string
}

func (e explained) Error() string { return e.text }
func (e explained) Unwrap() error { return e.error }

// mistakes has the errors of package kong that speak of its own types. A test makes each of them, so
// that it fails if a new version of the package has other words.
var mistakes = []struct {
	theirs *regexp.Regexp
	ours   string
}{
	{regexp.MustCompile(`^(\S+): missing value, .*$`), `$1 needs a value`},
	{regexp.MustCompile(`^(.+): it is empty$`), `$1 needs a value`},
	{regexp.MustCompile(`^(\S+): expected .* but got ""(?:: .*| \(string\))?$`), `$1 needs a value`},
	{regexp.MustCompile(`^(\S+): expected \S+ value but got "EOL" .*$`), `$1 needs a value`},
	{regexp.MustCompile(`^(\S+): expected \S+ value but got "(.*)" \((?:long|short) flag\).*$`), `$1 needs a value, and $2 looks like a flag: write $1=$2 if it is none`},
	{regexp.MustCompile(`^(\S+): expected duration but got "(.*)": .*$`), `$1: $2 is not a duration with a unit, such as 90s, 30m or 1h30m`},
	{regexp.MustCompile(`^(\S+): expected a valid \d+ bit int but got "(.*)"$`), `$1: $2 is not a whole number`},
	{regexp.MustCompile(`^(\S+): expected a valid \d+ bit uint but got "(.*)"$`), `$1: $2 is not a whole number of zero or more`},
	{regexp.MustCompile(`^(\S+): expected a float but got "(.*)" \(string\)$`), `$1: $2 is not a number`},
}

var (
	oneDash = regexp.MustCompile(`^unknown flag -[^-]`) // of which the parser names only the first letter
	long    = regexp.MustCompile(`^-[a-z][a-z-]+`)
)

// filled reads texts, and refuses empty ones: --from "$NETWORK" without the variable is a mistake, and not the default.
var filled = kong.KindMapper(reflect.String, kong.MapperFunc(func(c *kong.DecodeContext, target reflect.Value) error {
	if err := c.Scan.PopValueInto("string", target.Addr().Interface()); err != nil {
		return err
	}
	if target.String() == "" {
		return errors.New("it is empty")
	}
	return nil
}))

// negative matches a negative number. No flag looks like one.
var negative = regexp.MustCompile(`^-\.?[0-9]`)

// joined returns the words of a command line with every negative number joined to the flag before it,
// as in --visits=-5, because the parser takes words that begin with a dash for flags.
func joined(words []string) []string {
	var all []string
	for i, word := range words {
		if word == "--" {
			return append(all, words[i:]...)
		}
		last := len(all) - 1
		if negative.MatchString(word) && last >= 0 && strings.HasPrefix(all[last], "--") && !strings.Contains(all[last], "=") {
			all[last] += "=" + word
			continue
		}
		all = append(all, word)
	}
	return all
}
