// Package configs holds the presets: settings files that are embedded in the program, so that
// an installed binary finds them anywhere. Package internal/settings reads them.
package configs

import "embed"

// Files holds the presets, such as quick.yaml.
//
//go:embed *.yaml
var Files embed.FS
