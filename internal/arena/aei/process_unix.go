//go:build unix

package aei

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// tree is a process with all that it starts: a process group.
type tree struct{ group int }

// start starts the command in a process group of its own. Ctrl-C in a terminal
// then reaches us alone, and we end the group.
func start(cmd *exec.Cmd) (*tree, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &tree{cmd.Process.Pid}, nil
}

// kill ends the processes.
func (t *tree) kill() error {
	err := syscall.Kill(-t.group, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// close ends what is left after the first process has ended.
func (t *tree) close() { t.kill() }
