package console

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// Completing is an environment variable. If it is set, a command does nothing but print what can follow its
// words, for the completion of a shell.
const Completing = "WARREN_COMPLETE"

// Completes reports whether the command shall only print what can follow. Parse handles that.
func (c Command) Completes() bool { return os.Getenv(Completing) != "" }

// complete prints what can follow the arguments, one a line: flags, and the values of a first argument that
// has only some.
func complete(w io.Writer, n *kong.Node, args []string) {
	for _, f := range n.Flags {
		if !f.Hidden {
			fmt.Fprintf(w, "--%s\n", f.Name)
		}
	}
	if len(args) == 0 && len(n.Positional) > 0 && n.Positional[0].Enum != "" {
		fmt.Fprintln(w, strings.ReplaceAll(n.Positional[0].Enum, ",", "\n"))
	}
}
