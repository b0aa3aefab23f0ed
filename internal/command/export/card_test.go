package export

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/internal/durable"
)

// A card replaces a card, also one of an earlier version, whose network had a head more. The refusal to replace
// anything else names the cause.
func TestCardOverAFile(t *testing.T) {
	n, path := trained(t)
	const architecture = `"architecture": {"blocks": 1, "channels": 8, "policy_channels": 2, "value_channels": 1, "value_hidden": 4, `
	const notCard = "already exists and is not a card"
	for name, test := range map[string]struct{ content, want string }{
		"none":            {"", ""},
		"a card":          {`{"card_version": 1, ` + architecture + `"heads": "stopped"}}`, ""},
		"an earlier card": {`{"card_version": 1, ` + architecture + `"heads": "stopped lead"}}`, ""},
		"a newer card":    {`{"card_version": 2, "architecture": "another"}`, "the card has version 2"},
		"a newer head":    {`{"card_version": 1, ` + architecture + `"heads": "bread"}}`, `heads names "bread"`},
		"a newer form":    {`{"card_version": 1, "architecture": "another"}`, "the architecture of the card: "},
		"other JSON":      {`{"architecture": null}`, notCard},
		"a list":          {`[1]`, notCard},
		"no JSON":         {`bread`, notCard},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f, card := flags{Network: path, Out: filepath.Join(dir, "out.npz")}, filepath.Join(dir, "out.json")
			if test.content != "" {
				if err := os.WriteFile(card, []byte(test.content), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			err := f.run(io.Discard)
			if test.want == "" {
				if config, unread := readArchitecture(card); err != nil || unread != nil || config != n.Config {
					t.Errorf("got %v, and the card has %+v, %v", err, config, unread)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), notCard) != (test.want == notCard) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if content, err := durable.ReadFile(card, durable.Document); err != nil || string(content) != test.content {
				t.Errorf("the file holds %q, %v", content, err)
			}
		})
	}
}

// A card that cannot be read may be one.
func TestCardOverWhatCannotBeRead(t *testing.T) {
	_, path := trained(t)
	card := filepath.Join(t.TempDir(), "out.json")
	if err := os.Mkdir(card, 0o777); err != nil {
		t.Fatal(err)
	}
	f := flags{Network: path, Out: strings.TrimSuffix(card, "json") + "npz"}
	if err := f.run(io.Discard); err == nil || errors.Is(err, errNotCard) || !strings.Contains(err.Error(), "the card would replace "+card+"; ") {
		t.Errorf("got %v", err)
	}
}

// An architecture from an earlier card has no removed heads.
func TestArchitectureOfAnEarlierCard(t *testing.T) {
	c, err := parseArchitecture([]byte(`{"architecture": {"blocks": 1, "channels": 8, "policy_channels": 2, "value_channels": 1, "value_hidden": 4, "heads": "stopped lead reply"}}`))
	if err != nil || c.Auxiliary != "stopped reply" {
		t.Errorf("heads %q, %v", c.Auxiliary, err)
	}
}
