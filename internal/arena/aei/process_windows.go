package aei

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a process with all that it starts: a job object. Only the build of
// this file is tested, by go vet; it has not been run.
type tree struct {
	process *os.Process
	job     windows.Handle
}

// start starts the command in a job object of its own and in a process group,
// so that Ctrl-C reaches us alone. The job ends when its handle is closed, also
// by our own end. Processes that it starts in its first moments, before it is
// in the job, are not part of the tree.
func start(cmd *exec.Cmd) (*tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
		err = cmd.Start()
	}
	if err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	// This fails if the process has already ended, and then does not matter.
	cmd.Process.WithHandle(func(handle uintptr) {
		windows.AssignProcessToJobObject(job, windows.Handle(handle))
	})
	return &tree{cmd.Process, job}, nil
}

// kill ends the processes.
func (t *tree) kill() error {
	windows.TerminateJobObject(t.job, 1)
	return t.process.Kill() // if it is not in the job
}

// close ends what is left after the first process has ended. The tree must not
// be used again.
func (t *tree) close() { windows.CloseHandle(t.job) }
