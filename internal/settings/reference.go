package settings

import (
	"fmt"
	"io"
	"strings"
)

// A Variant is a struct of settings with a name, such as a preset.
type Variant struct {
	Name     string
	Settings any // has the type of the defaults
}

// Reference writes a page in Markdown about the settings of defaults, a struct or a pointer to one. Each
// section and each setting has a heading. Under the heading of a setting are its default, the values of the
// variants that differ, what is allowed, its doc, the origin of the default, and why one would change it.
func Reference(w io.Writer, defaults any, variants []Variant) error {
	list, err := fields(defaults)
	if err != nil {
		return fmt.Errorf("describing settings: %w", err)
	}
	others := make([][]*field, len(variants))
	for i, v := range variants {
		if others[i], err = fields(v.Settings); err != nil {
			return fmt.Errorf("describing settings: %w", err)
		}
	}
	var b strings.Builder
	for i, f := range list {
		if f.section {
			fmt.Fprintf(&b, "\n## %s\n\n%s.\n", f.key, sentence(f.doc))
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\nDefault %s", f.key, f.quantity())
		if allowed := f.allowed(); allowed != "" {
			fmt.Fprintf(&b, ", allowed %s", allowed)
		}
		b.WriteString(".")
		for j, other := range others {
			if o := other[i]; format(o.value) != format(f.value) {
				fmt.Fprintf(&b, " In `%s`: %s.", variants[j].Name, o.quantity())
			}
		}
		fmt.Fprintf(&b, "\n\n%s\n", folded(sentence(f.doc)+".", ""))
		if f.origin != "" {
			fmt.Fprintf(&b, "\n%s\n", folded("- Where the default comes from: "+f.origin+".", "  "))
		}
		if f.change != "" {
			fmt.Fprintf(&b, "%s\n", folded("- When to change it: "+f.change, "  "))
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("describing settings: %w", err)
	}
	return nil
}

// folded returns text in lines. All but the first begin with indent.
func folded(text, indent string) string { return strings.Join(wrap(text, 110), "\n"+indent) }

// quantity returns the value of the setting in Markdown, with its unit.
func (f *field) quantity() string {
	text := format(f.value)
	if typeName(f.value.Type()) == "text" && text == "" {
		return "empty"
	}
	text = "`" + text + "`"
	if f.unit != "" {
		text += " " + f.unit
	}
	return text
}

// sentence returns a doc with an upper-case first letter, unless the first word is a value of the setting or
// a name, as in "adam: AdamW".
func sentence(doc string) string {
	first, _, _ := strings.Cut(doc, " ")
	if doc == "" || strings.ContainsAny(first, ":(=") {
		return strings.TrimSuffix(doc, ".")
	}
	return strings.TrimSuffix(strings.ToUpper(doc[:1])+doc[1:], ".")
}
