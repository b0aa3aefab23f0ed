package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warren/internal/observe"
	"warren/internal/train"
	"warren/net"
)

// disk is a file system of its own that can be made full.
type disk struct {
	t    *testing.T
	path string // "" where no file system can be mounted
	why  string
}

// newDisk mounts a file system at path if that is allowed.
func newDisk(t *testing.T, path string) *disk {
	t.Helper()
	if err := os.MkdirAll(path, 0o777); err != nil {
		t.Fatal(err)
	}
	d := &disk{t: t}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8g", "tmpfs", path).CombinedOutput(); err != nil {
		d.why = strings.TrimSpace(fmt.Sprintf("%v %s", err, out))
		return d
	}
	d.path = path
	t.Cleanup(func() { exec.Command("umount", "-l", path).Run() })
	return d
}

// resize changes the size of the file system.
func (d *disk) resize(bytes uint64) {
	d.t.Helper()
	if out, err := exec.Command("mount", "-o", fmt.Sprint("remount,size=", bytes), d.path).CombinedOutput(); err != nil {
		d.t.Logf("changing the size of the disk: %v %s", err, out)
	}
}

// fill leaves the file system without space, or nearly so.
func (d *disk) fill() { d.resize(usedBytes(d.path) + 64<<10) }

// free gives it space again.
func (d *disk) free() { d.resize(8 << 30) }

// clocked builds this test so that the clock of its processes can be set back: the package time is
// replaced by one that subtracts WARREN_CLOCK_BACK seconds from two seconds after the start on. Only
// the clock changes, and not the monotonic time. It returns the program, or why there is none.
func clocked(t *testing.T) (program, why string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", "there is no go command: " + err.Error()
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	content, err := os.ReadFile(source)
	if err != nil {
		return "", err.Error()
	}
	const read = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	const imports = "import (\n"
	text := string(content)
	if strings.Count(text, read) != 1 || strings.Count(text, imports) != 1 {
		return "", "this Go's package time is another"
	}
	text = strings.Replace(text, imports, imports+"\t\"syscall\"\n", 1)
	text = strings.Replace(text, read, read+"\tsec -= setBack(mono)\n", 1) + `
func setBack(mono int64) (seconds int64) {
	if mono-startNano < 2e9 {
		return 0
	}
	text, _ := syscall.Getenv("WARREN_CLOCK_BACK")
	for _, digit := range []byte(text) {
		seconds = 10*seconds + int64(digit-'0')
	}
	return seconds
}
`
	dir := t.TempDir()
	replaced, overlay := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {source: replaced}})
	if err == nil {
		err = errors.Join(os.WriteFile(replaced, []byte(text), 0o666), os.WriteFile(overlay, list, 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "clocked")
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, ".").CombinedOutput(); err != nil {
		return "", fmt.Sprintf("building with another clock: %v %s", err, out)
	}
	return program, ""
}

// exact opens a copy of a run that was killed, saves it at once and compares: the weights, the moments
// of the optimiser and the counters must be those of the checkpoint, bit for bit. It reports false if
// there is no checkpoint yet.
func exact(t *testing.T, run string) bool {
	t.Helper()
	copied, err := os.MkdirTemp(filepath.Dir(run), "copy-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(copied)
	for _, part := range []string{"games", "networks", "learner", "config.yaml"} {
		err := filepath.WalkDir(filepath.Join(run, part), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(run, path)
			if err != nil {
				return err
			}
			if e.IsDir() {
				return os.MkdirAll(filepath.Join(copied, relative), 0o777)
			}
			return os.Link(path, filepath.Join(copied, relative))
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	before, counters := newest(t, copied)
	if before == nil {
		return false
	}
	dir, err := train.OpenDir(copied)
	if err != nil {
		t.Fatal(err)
	}
	r, err := train.Open(t.Context(), dir, campaignSettings(), observe.Nobody, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := errors.Join(r.Train(ctx), r.Close(), dir.Close()); err != nil {
		t.Fatal(err)
	}
	after, countersAfter := newest(t, copied)
	if !reflect.DeepEqual(before, after) || !reflect.DeepEqual(counters, countersAfter) {
		t.Errorf("the run does not continue from its checkpoint: its counters were %v and are %v", counters, countersAfter)
	}
	return true
}

// newest returns the tensors and the counters of a run's newest checkpoint, without the time spent.
func newest(t *testing.T, run string) ([]net.Tensor, map[string]any) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(run, "learner", "step-*.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		return nil, nil
	}
	slices.Sort(paths)
	tensors, meta, err := net.LoadTensors(paths[len(paths)-1])
	if err != nil {
		t.Fatal(err)
	}
	var counters map[string]any
	if err := json.Unmarshal([]byte(meta["state"]), &counters); err != nil {
		t.Fatal(err)
	}
	delete(counters, "elapsed")
	delete(counters, "saved") // games continue coming in
	return tensors, counters
}
