package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"warren/internal/console"
)

const completionAbout = `Print a script that completes commands, flags and files in a shell: bash, zsh or fish. In zsh, compinit comes first.

Examples:
  source /dev/stdin <<<"$(warren completion bash)"
  source <(warren completion zsh)
  warren completion fish | source`

// completion prints a script that completes the commands of warren.
func completion(c console.Command) {
	var flags struct {
		Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
	}
	c.Parse(&flags, completionAbout)
	c.Run(func(_ context.Context, out io.Writer) error {
		_, err := fmt.Fprint(out, strings.ReplaceAll(scripts[flags.Shell], "VARIABLE", console.Completing))
		return err
	})
}

// scripts ask the program what can follow the words that were typed: commands, and flags, which are offered
// only after a dash. Anything else is a file.
var scripts = map[string]string{
	"bash": `_warren() {
	local word=${COMP_WORDS[COMP_CWORD]} offered
	offered=$(VARIABLE=1 "${COMP_WORDS[@]:0:COMP_CWORD}" 2>/dev/null </dev/null)
	[[ $word == -* ]] || offered=$(grep -v '^-' <<<"$offered")
	COMPREPLY=($(compgen -W "$offered" -- "$word"))
}
complete -o default -F _warren warren
`,
	"zsh": `_warren() {
	local -a offered
	offered=(${(f)"$(VARIABLE=1 ${words[1,CURRENT-1]} 2>/dev/null </dev/null)"})
	if [[ $words[CURRENT] == -* ]]; then
		compadd -a -- offered
	else
		offered=(${offered:#-*})
		compadd -a -- offered || _files
	fi
}
compdef _warren warren
`,
	"fish": `function __warren_offered
	set -lx VARIABLE 1
	set -l words (commandline -opc)
	set -l offered (command $words 2>/dev/null </dev/null)
	string match -q -- '-*' (commandline -ct); or set offered (string match -v -- '-*' $offered)
	printf '%s\n' $offered
end
complete -c warren -n 'test (count (commandline -opc)) = 1' -f -a '(__warren_offered)'
complete -c warren -n 'test (count (commandline -opc)) != 1' -a '(__warren_offered)'
`,
}
