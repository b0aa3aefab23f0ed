package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Write writes every setting of v, a struct or a pointer to one, as YAML. A comment
// above each setting contains its doc and its allowed values. [Read] of the result
// gives an equal struct. Write returns an error if a value is not allowed.
func Write(w io.Writer, v any) error {
	list, err := fields(v)
	if err != nil {
		return fmt.Errorf("writing settings: %w", err)
	}
	var b strings.Builder
	for _, f := range list {
		indent := strings.Repeat("  ", strings.Count(f.key, "."))
		_, name := cut(f.key)
		if f.section && b.Len() > 0 {
			b.WriteByte('\n')
		}
		comment := f.doc
		if allowed := f.allowed(); allowed != "" {
			comment = strings.TrimSpace(comment + " [" + allowed + "]")
		}
		for _, line := range wrap(comment, 100-len(indent)) {
			fmt.Fprintf(&b, "%s# %s\n", indent, line)
		}
		if f.section {
			fmt.Fprintf(&b, "%s%s:\n", indent, name)
			continue
		}
		if err := f.check(f.value); err != nil {
			return fmt.Errorf("writing settings: %s: %w", f.key, err)
		}
		text := format(f.value)
		if typeName(f.value.Type()) == "text" {
			if _, err := parse(f.value.Type(), text); err != nil {
				return fmt.Errorf("writing settings: %s: %w", f.key, err)
			}
			// Every escape sequence that Go uses for valid UTF-8 is also one of
			// YAML's double-quoted style (YAML 1.2.2, section 5.7).
			text = strconv.Quote(text)
		}
		fmt.Fprintf(&b, "%s%s: %s\n", indent, name, text)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing settings: %w", err)
	}
	return nil
}

// Hash returns a hash that identifies the settings of v, a struct or a pointer to one:
// the SHA-256, in hexadecimal, of the sorted lines "key=value", with the value quoted.
// Equal settings have equal hashes, whatever their files look like. Adding, removing or
// renaming a setting changes the hash; changing its doc or range does not. To identify
// only the settings of a section, hash the section.
func Hash(v any) (string, error) {
	list, err := fields(v)
	if err != nil {
		return "", fmt.Errorf("hashing settings: %w", err)
	}
	var lines []string
	for _, f := range list {
		if !f.section {
			lines = append(lines, f.key+"="+strconv.Quote(format(f.value))+"\n")
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:]), nil
}

// wrap breaks text at spaces into lines of at most width bytes. A longer word gets a
// line of its own. Empty text gives no lines.
func wrap(text string, width int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && len(lines[last])+1+len(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
