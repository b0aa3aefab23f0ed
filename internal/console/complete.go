package console

import (
	"fmt"
	"io"

	"github.com/alecthomas/kong"
)

// Completing is an environment variable. If it is set, Parse only prints the flags of the command and
// its subcommands, one a line, for the completion of a shell.
const Completing = "WARREN_COMPLETE"

func complete(w io.Writer, n *kong.Node) {
	for _, f := range n.Flags {
		if !f.Hidden {
			fmt.Fprintf(w, "--%s\n", f.Name)
		}
	}
	for _, child := range n.Children {
		fmt.Fprintln(w, child.Name)
	}
}
