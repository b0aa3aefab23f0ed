package ampere_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"warren/internal/compute/kernels/ampere"
	"warren/internal/compute/kernels/ampere/source"
)

var update = flag.Bool("update", false, "write the PTX")

// modules are the kernels of each number of channels, that for large batches first.
func modules(t *testing.T) (all [][]ampere.Network) {
	t.Helper()
	for channels := range 513 {
		if n, ok := ampere.NetworkOf(channels); ok {
			all = append(all, n.Kernels())
		}
	}
	if len(all) != 3 {
		t.Fatalf("there are %d modules", len(all))
	}
	return all
}

// TestPTX compares the PTX with what package source writes.
func TestPTX(t *testing.T) {
	for _, kernels := range modules(t) {
		n, want := kernels[0], source.Networks(kernels...)
		if *update {
			var b bytes.Buffer
			w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
			w.Write([]byte(want))
			w.Close()
			if err := os.WriteFile(n.File(), b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := n.PTX()
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is not what package source writes; run go generate ./internal/compute/kernels/ampere", n.File())
		}
	}
}

// TestAssembler lets NVIDIA's assembler translate the PTX. The numbers of a thread must be in registers.
func TestAssembler(t *testing.T) {
	ptxas, err := exec.LookPath("ptxas")
	if err != nil {
		t.Skip("there is no ptxas (Debian: nvidia-cuda-toolkit 12 or later, in non-free)")
	}
	version, err := exec.Command(ptxas, "--version").CombinedOutput()
	release := regexp.MustCompile(`release (\d+)`).FindSubmatch(version)
	if release == nil {
		t.Fatalf("ptxas --version: %v\n%s", err, version)
	}
	if n, _ := strconv.Atoi(string(release[1])); n < 12 {
		t.Skipf("ptxas is of release %d; it takes 12 or later", n)
	}
	for _, kernels := range modules(t) {
		text, err := kernels[0].PTX()
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		file := filepath.Join(dir, "kernel.ptx")
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, processor := range []string{"sm_80", "sm_86", "sm_89"} {
			log, err := exec.Command(ptxas, "-arch="+processor, "-v", "-o", filepath.Join(dir, "kernel.cubin"), file).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", kernels[0].File(), err, log)
			}
			if bytes.Contains(log, []byte("warning")) {
				t.Errorf("%s: the assembler complains:\n%s", kernels[0].File(), log)
			}
			t.Logf("%s", log)
			for what, most := range map[string]int{`(\d+) bytes spill stores`: 64, `Used (\d+) registers`: 255} {
				all := regexp.MustCompile(what).FindAllSubmatch(log, -1)
				if len(all) != len(kernels) {
					t.Fatalf("%s: the assembler does not say %q:\n%s", kernels[0].File(), what, log)
				}
				for _, found := range all {
					if n, _ := strconv.Atoi(string(found[1])); n > most {
						t.Errorf("%s, %s: %s, want at most %d", kernels[0].File(), processor, found[0], most)
					}
				}
			}
		}
	}
}
