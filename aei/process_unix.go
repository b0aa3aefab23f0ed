//go:build unix

package aei

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// separate gives the command a process group of its own, so that what it starts
// can be ended with it and Ctrl-C does not reach it before us.
func separate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends a process and its group.
func kill(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
