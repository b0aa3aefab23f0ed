package settings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"warren/internal/nearest"
)

// set sets the setting to the value that text represents. The error says what is
// wrong with the text and what is allowed. It does not name the setting.
func (f *field) set(text string) error {
	v, err := parse(f.value.Type(), text)
	if err != nil {
		if allowed := f.allowed(); allowed != "" {
			err = fmt.Errorf("%w (allowed: %s)", err, allowed)
		}
		return err
	}
	if err := f.check(v); err != nil {
		return err
	}
	f.value.Set(v)
	return nil
}

// check returns an error unless v, a value of the setting's type, is allowed.
func (f *field) check(v reflect.Value) error {
	if v.CanFloat() && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)) {
		return fmt.Errorf("%s is not a finite number", format(v))
	}
	if f.min.IsValid() && compare(v, f.min) < 0 || f.max.IsValid() && compare(v, f.max) > 0 {
		return fmt.Errorf("%s is out of range (allowed: %s)", format(v), f.allowed())
	}
	if f.oneof != nil && !slices.Contains(f.oneof, format(v)) {
		if gone := findRemoval(f.key + "=" + format(v)); gone != nil {
			return fmt.Errorf("%s was removed, and commit %s still had it (allowed: %s)", format(v), gone.commit, f.allowed())
		}
		hint := ""
		if near := nearest.Of(format(v), f.oneof); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		return fmt.Errorf("%s is not allowed (allowed: %s)%s", quoteIfOdd(format(v)), f.allowed(), hint)
	}
	return nil
}

// parse reads a value of type t. Numbers are decimal and may contain underscores
// between digits, as in 1_000_000. Durations have units, as in 30m or 1h30m.
func parse(t reflect.Type, text string) (reflect.Value, error) {
	v := reflect.New(t).Elem()
	var err error
	switch typeName(t) {
	case "bool":
		switch strings.ToLower(text) {
		case "true":
			v.SetBool(true)
		case "false":
		default:
			err = wrong(text, "true or false")
		}
	case "text":
		if !utf8.ValidString(text) {
			return v, fmt.Errorf("%.60q is not valid UTF-8", text)
		}
		v.SetString(text)
	case "duration":
		d, e := time.ParseDuration(text)
		if e != nil {
			err = wrong(text, "a duration with a unit, such as 90s, 30m or 1h30m")
		}
		v.SetInt(int64(d))
	case "int":
		err = parseInt(v, text)
	case "float":
		err = parseFloat(v, text)
	default:
		err = fmt.Errorf("a %s cannot be a setting", t)
	}
	return v, err
}

// parseInt sets v, of a type of whole numbers, to the number that text is.
func parseInt(v reflect.Value, text string) error {
	digits, ok := plainNumber(text)
	if !ok {
		return wrong(text, "a whole number")
	}
	if v.CanInt() {
		n, err := strconv.ParseInt(digits, 10, v.Type().Bits())
		if err != nil {
			return wrongNumber(text, err, "a whole number")
		}
		v.SetInt(n)
		return nil
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(digits, "+"), 10, v.Type().Bits())
	if err != nil {
		return wrongNumber(text, err, "a whole number of zero or more")
	}
	v.SetUint(n)
	return nil
}

// parseFloat sets v, of a type of floats, to the number that text is.
func parseFloat(v reflect.Value, text string) error {
	digits, ok := plainNumber(text)
	if !ok {
		return wrong(text, "a finite number")
	}
	x, err := strconv.ParseFloat(digits, v.Type().Bits())
	if err != nil {
		return wrongNumber(text, err, "a finite number")
	}
	if x == 0 {
		x = 0 // turn -0 into 0, so that equal settings have the same text
	}
	v.SetFloat(x)
	return nil
}

func wrong(text, want string) error {
	if text == "" {
		return fmt.Errorf("has no value; must be %s", want)
	}
	return fmt.Errorf("%s is not %s", quoteIfOdd(text), want)
}

// wrongNumber describes the error of package strconv.
func wrongNumber(text string, err error, want string) error {
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%s is too large in magnitude", quoteIfOdd(text))
	}
	return wrong(text, want)
}

// plainNumber returns text without the underscores between digits. It reports whether
// text contains only the characters of a decimal number, unlike 0x10, inf and nan.
func plainNumber(text string) (digits string, ok bool) {
	isDigit := func(i int) bool { return 0 <= i && i < len(text) && '0' <= text[i] && text[i] <= '9' }
	for i, c := range []byte(text) {
		if c == '_' && !(isDigit(i-1) && isDigit(i+1)) || c != '_' && !isDigit(i) && !strings.ContainsRune("+-.eE", rune(c)) {
			return "", false
		}
	}
	return strings.ReplaceAll(text, "_", ""), true
}

// format returns the text of a value, from which [parse] gives the same value. Numbers
// have the fewest digits possible, durations have no zero parts at the end, and text
// is unchanged.
func format(v reflect.Value) string {
	switch typeName(v.Type()) {
	case "bool":
		return strconv.FormatBool(v.Bool())
	case "duration":
		s := time.Duration(v.Int()).String()
		if strings.HasSuffix(s, "m0s") {
			s = strings.TrimSuffix(s, "0s")
		}
		if strings.HasSuffix(s, "h0m") {
			s = strings.TrimSuffix(s, "0m")
		}
		return s
	case "int":
		if v.CanInt() {
			return strconv.FormatInt(v.Int(), 10)
		}
		return strconv.FormatUint(v.Uint(), 10)
	case "float":
		x := v.Float()
		if x == 0 {
			return "0"
		}
		verb := byte('g')
		if a := math.Abs(x); 1e-5 <= a && a < 1e9 {
			verb = 'f'
		}
		return strconv.FormatFloat(x, verb, -1, v.Type().Bits())
	}
	return v.String()
}

// compare orders two values of the same numeric type.
func compare(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	}
	return cmp.Compare(a.Float(), b.Float())
}

// quoteIfOdd shortens text for a one-line message. It quotes the text if it is empty
// or contains spaces, quotation marks or unprintable characters.
func quoteIfOdd(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	for _, c := range text {
		if c <= ' ' || c == '"' || c == utf8.RuneError || !strconv.IsPrint(c) {
			return strconv.Quote(text)
		}
	}
	if text == "" {
		return `""`
	}
	return text
}
