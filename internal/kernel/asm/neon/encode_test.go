package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestWords compares every word of the generated assembly with what an assembler makes of its comment.
func TestWords(t *testing.T) {
	var words []uint32
	var source strings.Builder
	line := regexp.MustCompile(`WORD \$0x([0-9a-f]{8}) // (.*)`)
	for _, name := range []string{"../../neon_arm64.s", "../../quant/neon_arm64.s"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range line.FindAllStringSubmatch(string(text), -1) {
			word, err := strconv.ParseUint(m[1], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			words = append(words, uint32(word))
			fmt.Fprintln(&source, m[2])
		}
	}
	if len(words) < 1000 {
		t.Fatalf("only %d words", len(words))
	}
	code := assembled(t, source.String())
	if len(code) != 4*len(words) {
		t.Fatalf("%d words, but the assembler made %d bytes", len(words), len(code))
	}
	comments := strings.Split(source.String(), "\n")
	for i, word := range words {
		if want := binary.LittleEndian.Uint32(code[4*i:]); word != want {
			t.Errorf("%s is %#08x, want %#08x", comments[i], word, want)
		}
	}
}

// assembled returns the code of a source for arm64.
func assembled(t *testing.T, source string) []byte {
	const prefix = "aarch64-linux-gnu-"
	if _, err := exec.LookPath(prefix + "as"); err != nil {
		t.Skip("no assembler for arm64: Debian's binutils-aarch64-linux-gnu has one")
	}
	dir := t.TempDir()
	object, code := filepath.Join(dir, "words.o"), filepath.Join(dir, "words")
	as := exec.Command(prefix+"as", "-o", object, "-")
	as.Stdin = strings.NewReader(".arch armv8.6-a\n" + source)
	for _, c := range []*exec.Cmd{as, exec.Command(prefix+"objcopy", "-O", "binary", "-j", ".text", object, code)} {
		if output, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c.Args, err, output)
		}
	}
	all, err := os.ReadFile(code)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
