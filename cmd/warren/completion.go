package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"warren/internal/console"
)

const completionAbout = `Print a script that completes the commands and flags of warren in a shell: bash, zsh or fish.

Examples:
  source <(warren completion bash)
  source <(warren completion zsh)
  warren completion fish | source`

// completion prints a script that completes the commands of warren.
func completion(c console.Command) {
	var flags struct {
		Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
	}
	c.Parse(&flags, completionAbout)
	c.Run(func(_ context.Context, out io.Writer) error {
		_, err := fmt.Fprint(out, strings.NewReplacer("COMMANDS", strings.Join(names(commands()), " "), "VARIABLE", console.Completing).Replace(scripts[flags.Shell]))
		return err
	})
}

// scripts complete the first word as a command, words that begin with a dash as flags, which the command
// itself lists, and all others as files.
var scripts = map[string]string{
	"bash": `_warren() {
	local word=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W "COMMANDS" -- "$word"))
	elif [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$(VARIABLE=1 "${COMP_WORDS[0]}" "${COMP_WORDS[1]}" 2>/dev/null)" -- "$word"))
	fi
}
complete -o default -F _warren warren
`,
	"zsh": `_warren() {
	if (( CURRENT == 2 )); then
		compadd -- COMMANDS
	elif [[ $words[CURRENT] == -* ]]; then
		compadd -- ${(f)"$(VARIABLE=1 $words[1] $words[2] 2>/dev/null)"}
	else
		_files
	fi
}
compdef _warren warren
`,
	"fish": `complete -c warren -n __fish_use_subcommand -f -a 'COMMANDS'
complete -c warren -n 'string match -q -- "-*" (commandline -ct)' -a '(VARIABLE=1 command warren (commandline -opc)[2] 2>/dev/null)'
`,
}
