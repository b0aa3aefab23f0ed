package recipe

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"warren/internal/settings"
)

var update = flag.Bool("update", false, "write docs/reference/settings.md")

//go:generate go test -run TestSettingsPage . -update

// TestSettingsPage: docs/reference/settings.md says what the code says.
func TestSettingsPage(t *testing.T) {
	var presets []settings.Variant
	for _, name := range settings.Presets() {
		c := DefaultConfig()
		if err := settings.Read(name, nil, &c); err != nil {
			t.Fatal(err)
		}
		presets = append(presets, settings.Variant{Name: name, Settings: c})
	}
	var page bytes.Buffer
	page.WriteString(`# Settings

<!-- Generated from the code: go generate ./internal/recipe -->

These are all settings of a run. A preset (` + "`configs/`" + `) or a settings file holds those that differ from the
defaults, and ` + "`--set KEY=VALUE`" + ` overrides one. ` + "`warren train --settings`" + ` prints this list, with the values of
one preset. A default that was measured names the page with the measurements.
`)
	if err := settings.Reference(&page, DefaultConfig(), presets); err != nil {
		t.Fatal(err)
	}
	want := document.ReplaceAllFunc(page.Bytes(), func(name []byte) []byte {
		link, err := filepath.Rel("docs/reference", string(name))
		if err != nil {
			t.Error(err)
		}
		text := filepath.Base(string(name))
		if _, anchor, ok := strings.Cut(text, "#"); ok {
			text = strings.ReplaceAll(anchor, "-", " ")
		}
		return fmt.Appendf(nil, "[%s](%s)", text, filepath.ToSlash(link))
	})
	const path = "../../docs/reference/settings.md"
	if *update {
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("docs/reference/settings.md is not what the code says: go generate ./internal/recipe")
	}
}

// document matches a document that a setting names, and a heading in it.
var document = regexp.MustCompile(`docs/(?:[a-z-]+/)*[a-z-]+\.md(?:#[a-z-]+)?`)

// TestSettingsHaveReasons: every setting says what it is, where its default comes from and why a user would change it.
// Every number has a range, and says what it counts if it is not a share, a factor or the like.
func TestSettingsHaveReasons(t *testing.T) {
	if err := settings.Check(DefaultConfig()); err != nil {
		t.Error(err)
	}
	seen := 0
	var walk func(prefix string, section reflect.Type)
	walk = func(prefix string, section reflect.Type) {
		for i := range section.NumField() {
			f := section.Field(i)
			name := f.Tag.Get("yaml")
			if name == "-" || name == "" {
				continue
			}
			if f.Type.Kind() == reflect.Struct {
				if f.Tag.Get("doc") == "" {
					t.Errorf("%s%s: the section has no doc", prefix, name)
				}
				walk(prefix+name+".", f.Type)
				continue
			}
			seen++
			if f.Tag.Get("origin") == "" {
				t.Errorf("%s%s: the tag origin does not say where the default comes from", prefix, name)
			}
			if change := f.Tag.Get("change"); !strings.HasSuffix(change, ".") {
				t.Errorf("%s%s: the tag change has no sentence on why a user would change it: %q", prefix, name, change)
			}
			if f.Type.Kind() == reflect.Int && f.Tag.Get("unit") == "" {
				t.Errorf("%s%s: the tag unit does not say what is counted", prefix, name)
			}
		}
	}
	walk("", reflect.TypeFor[Config]())
	if seen > 95 {
		t.Errorf("there are %d settings, want at most 95", seen)
	}
}
