//go:build !unix && !windows

package aei

import (
	"os"
	"os/exec"
)

// tree is a process. What it starts is not ended with it, but sees its pipes
// closed.
type tree struct{ process *os.Process }

// start starts the command.
func start(cmd *exec.Cmd) (*tree, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &tree{cmd.Process}, nil
}

// kill ends the process.
func (t *tree) kill() error { return t.process.Kill() }

func (t *tree) close() {}
