package durable

import (
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON replaces the content of the file path by value in JSON and a newline, as [WriteFile] does. Every level is
// indented by indent; all of it is one line if that is empty.
func WriteJSON(path string, value any, indent string) error {
	return WriteFile(path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", indent)
		return encoder.Encode(value)
	})
}

// ReadJSON decodes the JSON in the regular file path, of at most [Document] bytes, into a value. The error names the
// file.
func ReadJSON(path string, into any) error {
	content, err := ReadFile(path, Document)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
