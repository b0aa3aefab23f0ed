package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Problem is one mistake in the given settings.
type Problem struct {
	Source string // the file as it was named, or "--set"
	Line   int    // line of the file, from 1; 0 for --set
	Key    string // dotted key; "" if the problem is not about a single setting
	Text   string // what is wrong and what is allowed

	unknown bool
}

// ErrUnknown matches, in the sense of [errors.Is], a [Problem] with a key that is no setting.
var ErrUnknown = errors.New("no such setting")

// Is reports whether the target is ErrUnknown and describes the problem.
func (p *Problem) Is(target error) bool { return target == ErrUnknown && p.unknown }

// Error returns one line with the source, the line number, the key and the text.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Source)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(quoteIfOdd(p.Key) + ": ")
	}
	b.WriteString(p.Text)
	return b.String()
}

// Read reads settings into the struct that into points to, which already holds the
// defaults. It applies first the YAML file with the given name and then the overrides
// in set, each of the form "key=value" with a dotted key. If there is no such file,
// name may be an embedded preset ("quick" or "configs/quick.yaml"). If name is "",
// Read reads no file. The file may have the name that a setting had in an earlier version. A
// removed setting in the file is left out if its value asks for what the program does now.
//
// Read rejects a key that does not exist or is given twice, and a value that has the
// wrong type or is out of range. The error then joins one [Problem] for each mistake,
// in the order of the file with the overrides last, and the struct is unchanged.
func Read(name string, set []string, into any) error {
	return new(reader).read(name, set, into)
}

// ReadOlder is like Read, and tells how the file differs from what [Write] writes. Read
// reads such a file too.
func ReadOlder(name string, set []string, into any) (Older, error) {
	r := &reader{}
	err := r.read(name, set, into)
	return r.older, err
}

// Older lists what a file has that only earlier versions had, and what it lacks.
type Older struct {
	Removed []string // keys of settings that were left out: the program does now what they ask for
	Changed []string // keys of settings that were left out, each with what the program does instead
	Renamed []string // settings that have another name now, as "old -> new"
	Missing []string // sections, and settings that are in no section, that the file does not name
}

// String describes in one line what only earlier versions had. It is empty if there is nothing.
func (o Older) String() string {
	var parts []string
	if len(o.Renamed) > 0 {
		parts = append(parts, "renamed: "+strings.Join(o.Renamed, ", "))
	}
	if len(o.Removed) > 0 {
		parts = append(parts, "removed, with values that change nothing: "+strings.Join(o.Removed, ", "))
	}
	if len(o.Changed) > 0 {
		parts = append(parts, "removed: "+strings.Join(o.Changed, ", "))
	}
	return strings.Join(parts, "; ")
}

// A reader applies settings to a struct and collects the mistakes in them.
type reader struct {
	source   string
	byKey    map[string]*field
	keys     []string // in the order of their declaration
	problems []error
	given    map[string]string // the name in the file of each setting that has a value there, by key
	named    map[string]bool   // whether the file has the name outside of all sections
	older    Older
}

func (r *reader) read(name string, set []string, into any) error {
	if v := reflect.ValueOf(into); v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("settings are read into a pointer to a struct, not a %T", into)
	}
	var content []byte
	source := name
	if name != "" {
		var err error
		if content, source, err = load(name); err != nil {
			return err
		}
	}
	return r.apply(source, content, set, into)
}

// apply applies the content of a file and then the overrides.
func (r *reader) apply(source string, content []byte, set []string, into any) error {
	target := reflect.ValueOf(into).Elem()
	// Settings contain no references, so this copy is independent.
	work := reflect.New(target.Type())
	work.Elem().Set(target)
	list, err := fields(work.Interface())
	if err != nil {
		return fmt.Errorf("settings are badly declared: %w", err)
	}
	r.source, r.byKey, r.given, r.named = source, map[string]*field{}, map[string]string{}, map[string]bool{}
	for _, f := range list {
		r.byKey[f.key] = f
		r.keys = append(r.keys, f.key)
	}
	r.file(content)
	r.older.Missing = slices.DeleteFunc(r.inSection(""), func(name string) bool { return r.named[name] })
	r.overrides(set)
	if len(r.problems) > 0 {
		return errors.Join(r.problems...)
	}
	target.Set(work.Elem())
	return nil
}

func (r *reader) fail(line int, key, format string, args ...any) {
	r.problems = append(r.problems, &Problem{Source: r.source, Line: line, Key: key, Text: fmt.Sprintf(format, args...)})
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func (r *reader) file(content []byte) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return
	}
	if err != nil {
		text, line := err.Error(), 0
		if m := yamlLine.FindStringSubmatch(text); m != nil {
			text = text[len(m[0]):]
			fmt.Sscan(m[1], &line)
		}
		r.fail(line, "", "not YAML: %s", strings.Join(strings.Fields(text), " "))
		return
	}
	var second yaml.Node
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		r.fail(second.Line, "", "a second document in the file; settings must be one document")
	}
	for _, root := range document.Content {
		switch {
		case isNull(root):
		case root.Kind != yaml.MappingNode:
			r.fail(root.Line, "", "settings must be lines of the form key: value")
		default:
			r.section("", root)
		}
	}
}

// section reads the keys of one mapping in the file.
func (r *reader) section(prefix string, mapping *yaml.Node) {
	first := map[string]int{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		name, value := mapping.Content[i], mapping.Content[i+1]
		key := prefix + name.Value
		switch line, again := first[name.Value]; {
		case name.Kind != yaml.ScalarNode:
			r.fail(name.Line, strings.TrimSuffix(prefix, "."), "a key must be a plain name")
			continue
		case again:
			r.fail(name.Line, key, "given twice, first on line %d", line)
			continue
		}
		first[name.Value] = name.Line
		r.named[key] = true
		f := r.byKey[key]
		switch {
		case strings.Contains(name.Value, ".") && r.byKey[key] != nil:
			section, last := cut(key)
			r.fail(name.Line, key, "dotted keys are for the command line; in a file, write %s: below %s:", last, section)
		case value.Kind == yaml.AliasNode || value.Anchor != "":
			r.fail(value.Line, key, "anchors and aliases are not allowed in settings; write out the value")
		case value.Style&yaml.TaggedStyle != 0:
			r.fail(value.Line, key, "the tag %s is not allowed in settings; write the plain value", quoteIfOdd(value.Tag))
		case f == nil && !strings.Contains(name.Value, ".") && r.earlier(key, value):
		case f == nil || strings.Contains(name.Value, "."):
			r.unknown(name.Line, key)
		case f.section && isNull(value):
		case f.section && value.Kind == yaml.MappingNode:
			r.olderSchedules(key, value)
			r.section(key+".", value)
		case f.section:
			r.fail(value.Line, key, "this is a section; write its settings below it, indented")
		default:
			r.setting(f, key, value)
		}
	}
}

// setting reads the value of a setting, whose name in the file is key.
func (r *reader) setting(f *field, key string, value *yaml.Node) {
	first := r.given[f.key]
	r.given[f.key] = key
	switch {
	case first != "":
		r.fail(value.Line, key, "given twice, first as %s", first)
	case value.Kind != yaml.ScalarNode:
		r.fail(value.Line, key, "must be one value (%s), not a list or a section", f.wants())
	case isNull(value):
		r.fail(value.Line, key, "has no value; must have one (%s)", f.wants())
	case isQuoted(value) && typeName(f.value.Type()) != "text" && typeName(f.value.Type()) != "duration":
		r.fail(value.Line, key, "%.60q is text; write it without quotation marks (%s)", value.Value, f.wants())
	default:
		if err := f.set(value.Value); err != nil {
			r.fail(value.Line, key, "%v", err)
		}
	}
}

func (r *reader) overrides(set []string) {
	r.source = "--set"
	given := map[string]bool{}
	for _, s := range set {
		key, text, ok := strings.Cut(s, "=")
		key = strings.TrimSpace(key)
		f := r.byKey[key]
		switch {
		case !ok || key == "":
			r.fail(0, s, "must have the form key=value")
		case f == nil && findRenaming(key) != nil && r.byKey[findRenaming(key).new] != nil:
			r.fail(0, key, "%v", findRenaming(key))
		case f == nil && findRemoval(key) != nil:
			r.fail(0, key, "%v", findRemoval(key))
		case f == nil:
			r.unknown(0, key)
		case f.section:
			r.fail(0, key, "this is a section; set one of its settings: %s", strings.Join(r.inSection(key), ", "))
		case given[key]:
			r.fail(0, key, "given twice")
		default:
			given[key] = true
			if err := f.set(text); err != nil {
				r.fail(0, key, "%v", err)
			}
		}
	}
}

// unknown rejects a key and suggests the one that may have been meant.
func (r *reader) unknown(line int, key string) {
	fail := func(format string, args ...any) {
		r.problems = append(r.problems, &Problem{r.source, line, key, fmt.Sprintf("%v; "+format, append([]any{ErrUnknown}, args...)...), true})
	}
	if near := nearestKey(key, r.keys); near != "" {
		fail("did you mean %s?", near)
		return
	}
	section, _ := cut(key)
	if f := r.byKey[section]; f == nil || !f.section {
		section = ""
	}
	where := "the settings are"
	if section != "" {
		where = "the settings of " + section + " are"
	}
	fail("%s %s", where, strings.Join(r.inSection(section), ", "))
}

// inSection lists the last names of the settings and sections in a section.
func (r *reader) inSection(section string) []string {
	var names []string
	for _, key := range r.keys {
		if parent, name := cut(key); parent == section {
			names = append(names, name)
		}
	}
	return names
}

// wants returns the type and the allowed values of the setting for messages.
func (f *field) wants() string {
	if allowed := f.allowed(); allowed != "" {
		return typeName(f.value.Type()) + ", " + allowed
	}
	return typeName(f.value.Type())
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func isQuoted(n *yaml.Node) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}
