// Package docs shows the documents of the program in a browser.
package docs

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"warren"
	"warren/internal/console"
	"warren/internal/site"
)

const description = `Show the documents in the browser, with a search.

They are part of the program and need no internet connection. Only this machine can open them, unless --http names
another address.

Examples:
  warren docs
  warren docs --write site    the same as files, to open or to serve from anywhere`

type flags struct {
	HTTP  string `name:"http" placeholder:"ADDRESS" xor:"where" help:"Where to serve the documents. Default: 127.0.0.1:8090."`
	Write string `placeholder:"DIR" xor:"where" help:"Write the pages into this directory instead, and exit."`
}

// Main runs the command.
func Main(c console.Command) {
	var f flags
	c.Parse(&f, description)
	c.Run(func(ctx context.Context, out io.Writer) error {
		s, err := site.Build(warren.Documents)
		if err != nil {
			return err
		}
		if f.Write == "" {
			return s.Serve(ctx, cmp.Or(f.HTTP, "127.0.0.1:8090"), func(url string) {
				fmt.Fprintf(os.Stderr, "The documents are at %s\nCtrl-C ends it.\n", url)
			})
		}
		if err := s.Write(f.Write); err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "Wrote %d files to %s; begin with index.html.\n", len(s), f.Write)
		return err
	})
}
