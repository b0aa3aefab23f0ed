//go:build !unix

package aei

import (
	"os"
	"os/exec"
)

func separate(*exec.Cmd) {}

// kill ends a process; what it has started sees its pipes closed.
func kill(p *os.Process) error { return p.Kill() }
