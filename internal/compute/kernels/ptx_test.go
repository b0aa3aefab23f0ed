package kernels

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/ptx"
)

var update = flag.Bool("update", false, "write the PTX that clang 15 makes")

// targets are the files of PTX.
var targets = []struct {
	file    string
	program compute.Program
	target  []string // processor and version of PTX
	calls   []Call
}{
	{"fp32.ptx.gz", Form{}.Program(), []string{"sm_60", "+ptx60"}, playingCalls},
	{"fp16.ptx.gz", Form{Half: true, Tensor: true}.Program(), []string{"sm_80", "+ptx71"}, slices.Concat(playingCalls, onTensorCores, []Call{Product{}})},
	{"training.ptx.gz", Training(), []string{"sm_60", "+ptx60"}, trainingCalls},
	{"mixed.ptx.gz", Mixed(), []string{"sm_80", "+ptx71"}, slices.Concat(trainingCalls, mixedCalls, mixedConvolutions, mixedOuters)},
}

// TestPTX compares the PTX with what clang 15 makes of the source.
func TestPTX(t *testing.T) {
	clang, err := exec.LookPath("clang-15")
	if err != nil {
		t.Skip("there is no clang-15 (Debian: apt-get install clang-15)")
	}
	for _, target := range targets {
		t.Run(target.file, func(t *testing.T) {
			ptx.Compare(t, target.file, target.program.PTX, compile(t, clang, target.program, target.target), *update)
		})
	}
}

// noise are lines that clang adds and that say nothing.
var noise = regexp.MustCompile(`(?m)^\s*//.*\n`)

func compile(t *testing.T, clang string, p compute.Program, target []string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "kernels.ptx")
	args := []string{"-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64-nvidia-cuda", "-O3", "-S", "-o", out, "-include", "ptx.h",
		"-Xclang", "-target-cpu", "-Xclang", target[0], "-Xclang", "-target-feature", "-Xclang", target[1]}
	for _, name := range p.Defines {
		args = append(args, "-D"+name)
	}
	command := exec.Command(clang, append(args, "-")...)
	command.Stdin = strings.NewReader(p.Source)
	if log, err := command.CombinedOutput(); err != nil || len(log) > 0 {
		t.Fatalf("clang: %v\n%s", err, log)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return noise.ReplaceAll(text, nil)
}

// TestPTXHasTheKernels compares the kernels in the PTX with the calls, and looks for what the PTX
// must not have: memory of a single item, which is where arrays end that are not in registers.
func TestPTXHasTheKernels(t *testing.T) {
	if *update {
		t.Skip("the PTX has just been written, and is not in this program")
	}
	for _, target := range targets {
		text, err := target.program.PTX()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range regexp.MustCompile(`\.entry (\w+)\(`).FindAllSubmatch(text, -1) {
			got = append(got, string(m[1]))
		}
		if want := named(target.calls); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%s has the kernels %v, want %v", target.file, got, want)
		}
		if bytes.Contains(text, []byte(".local")) {
			t.Errorf("%s: a kernel keeps an array in memory", target.file)
		}
		if regexp.MustCompile(`\.shared \.align [^1]`).Match(text) {
			t.Errorf("%s: memory of a group is not aligned for its vectors", target.file)
		}
		if got := bytes.Count(text, []byte("\n.target "+target.target[0])); got != 1 {
			t.Errorf("%s: is not for %s", target.file, target.target[0])
		}
	}
}
