package durable

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.json")
	for indent, want := range map[string]string{"": "[1,\"\\u003c\"]\n", "  ": "[\n  1,\n  \"\\u003c\"\n]\n"} {
		if err := WriteJSON(path, []any{1, "<"}, indent); err != nil || read(t, path) != want {
			t.Errorf("error %v, or the file has %q, want %q", err, read(t, path), want)
		}
		var list []any
		if err := ReadJSON(path, &list); err != nil || len(list) != 2 || list[1] != "<" {
			t.Errorf("read %v, error %v", list, err)
		}
	}
	if err := os.Truncate(path, 3); err != nil {
		t.Fatal(err)
	}
	if err := ReadJSON(path, new([]any)); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v of a file that is cut off", err)
	}
}
