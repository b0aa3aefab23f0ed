// Package warren holds the documents of Warren, which the program carries with it.
package warren

import "embed"

// Documents has the Markdown files, at their paths in the repository, and the pictures that they show. The index
// is docs/README.md.
//
//go:embed *.md docs/*.md docs/*/*.md docs/*/*.svg docs/*/*.png docs/*/*.webp net/bundled/card.md examples/*/*.md
var Documents embed.FS
