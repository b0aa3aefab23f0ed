package main

import (
	"bytes"
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

// TestBytes compares the bytes of every instruction that Go's assembler does not know with what another
// assembler makes of its comment.
func TestBytes(t *testing.T) {
	var source strings.Builder
	var written []byte
	commented := regexp.MustCompile(`(?m)^\t// (.*)\n((?:\t(?:LONG|BYTE) +\$0x[0-9a-f]+\n)+)`)
	part := regexp.MustCompile(`(LONG|BYTE) +\$(0x[0-9a-f]+)`)
	var comments []string
	var ends []int // of the instructions in written
	for _, name := range []string{"../bf16/amx_amd64.s", "../quant/amx_amd64.s"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range commented.FindAllStringSubmatch(string(text), -1) {
			fmt.Fprintln(&source, intel(m[1]))
			for _, p := range part.FindAllStringSubmatch(m[2], -1) {
				v, err := strconv.ParseUint(p[2], 0, 32)
				if err != nil {
					t.Fatal(err)
				}
				written = append(written, binary.LittleEndian.AppendUint32(nil, uint32(v))[:map[string]int{"LONG": 4, "BYTE": 1}[p[1]]]...)
			}
			comments, ends = append(comments, m[1]), append(ends, len(written))
		}
	}
	if len(comments) < 500 {
		t.Fatalf("only %d instructions", len(comments))
	}
	want := assembled(t, source.String())
	at := 0
	for i, end := range ends {
		if end > len(want) || !bytes.Equal(written[at:end], want[at:end]) {
			t.Fatalf("%s is % x, want % x", comments[i], written[at:end], want[at:min(end, len(want))])
		}
		at = end
	}
	if at != len(want) {
		t.Errorf("%d bytes, but the assembler made %d", at, len(want))
	}
}

var (
	memory   = regexp.MustCompile(`(-?\d+)\((\w+)\)\((\w+)\*1\)`)
	sum      = regexp.MustCompile(`^(TDP\w+) (TMM\d) \+= (TMM\d) \* (TMM\d)$`)
	general  = regexp.MustCompile(`\b([ABCD]X|[SD]I)\b`)
	convert  = regexp.MustCompile(`^VCVTNEPS2BF16 Z(\d+), Y(\d+)$`)
	reversed = regexp.MustCompile(`^(TILESTORED) (TMM\d), (.*)$`)
)

// intel is an instruction as other assemblers write it, from its comment.
func intel(comment string) string {
	s := memory.ReplaceAllString(comment, "[$2+$3*1+$1]")
	s = reversed.ReplaceAllString(s, "$1 $3, $2")
	s = sum.ReplaceAllString(s, "$1 $2, $3, $4")
	s = convert.ReplaceAllString(s, "VCVTNEPS2BF16 YMM$2, ZMM$1")
	s = general.ReplaceAllString(s, "R$1")
	if operand, ok := strings.CutPrefix(s, "LDTILECFG "); ok {
		s = "LDTILECFG [" + strings.Trim(operand, "()") + "]"
	}
	if strings.Contains(s, "+") {
		s = "{disp32} " + s
	}
	return s
}

// assembled returns the code of a source for amd64.
func assembled(t *testing.T, source string) []byte {
	if _, err := exec.LookPath("x86_64-linux-gnu-as"); err != nil {
		t.Skip("no assembler for amd64: Debian's binutils-x86-64-linux-gnu has one")
	}
	dir := t.TempDir()
	object, code := filepath.Join(dir, "bytes.o"), filepath.Join(dir, "bytes")
	as := exec.Command("x86_64-linux-gnu-as", "-o", object, "-")
	as.Stdin = strings.NewReader(".intel_syntax noprefix\n" + source)
	for _, c := range []*exec.Cmd{as, exec.Command("x86_64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", object, code)} {
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
