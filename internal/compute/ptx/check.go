package ptx

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// Compare fails the test if a file of the tested package, which load reads, is not the PTX that its source gives. With
// update it writes the file instead.
func Compare(t *testing.T, file string, load func() ([]byte, error), source []byte, update bool) {
	t.Helper()
	if update {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		w.Write(source)
		w.Close()
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, source) {
		t.Errorf("%s is not what its source gives: run go generate here", file)
	}
}

// Assemble lets NVIDIA's assembler translate PTX for a processor, or skips the test where there is none. The assembler
// must not complain, as it does where it has to wait for each product of wgmma, and the numbers of a thread must be in
// registers, which are at most so many.
func Assemble(t *testing.T, name string, text []byte, processor string, registers int) {
	t.Helper()
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
	file := filepath.Join(t.TempDir(), "kernel.ptx")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	log, err := exec.Command(ptxas, "-arch="+processor, "-v", "-o", file+".cubin", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, log)
	}
	if regexp.MustCompile(`warning|C75\d\d`).Match(log) {
		t.Errorf("%s: the assembler complains:\n%s", name, log)
	}
	for what, most := range map[string]int{`(\d+) bytes spill stores`: 64, `Used (\d+) registers`: registers} {
		all := regexp.MustCompile(what).FindAllSubmatch(log, -1)
		if len(all) != bytes.Count(text, []byte(".entry ")) {
			t.Fatalf("%s: the assembler does not say %q of each kernel:\n%s", name, what, log)
		}
		for _, found := range all {
			if n, _ := strconv.Atoi(string(found[1])); n > most {
				t.Errorf("%s, %s: %s, want at most %d", name, processor, found[0], most)
			}
		}
	}
}
