package hopper_test

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/kernels/hopper/hoppertest"
	"warren/internal/compute/ptx"
)

var everything = flag.Bool("mutations", false, "try all mutations, which takes minutes")

// mutations returns the lines that a synchronization could be by mistake: none, and for a wait without the
// loop around it, with the other parity, or done at once.
func mutations(line string) []string {
	words := []string{"fence", "bar.", "wait_group", "commit_group", "mbarrier.arrive", "mbarrier.try_wait"}
	if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) }) {
		return nil
	}
	if !strings.Contains(line, "try_wait") {
		return []string{""}
	}
	operands := strings.Split(strings.Trim(line, "\t;"), " ")
	p, parity := strings.TrimSuffix(operands[1], ","), operands[len(operands)-1]
	done := " setp.eq.u32 " + p + ", 0, 0;"
	flipped := strings.Replace(line, parity+";", "%flipped;", 1)
	return []string{done, line + done, "{ .reg .b32 %flipped; xor.b32 %flipped, " + parity + ", 1; " + flipped + " }"}
}

// harmless reports whether a kernel may work without the synchronization in a line.
func harmless(tower hopper.Tower, lines []string, i int) bool {
	section := ""
	for _, line := range lines[:i] {
		if strings.HasPrefix(line, "\t//") {
			section = line
		}
	}
	is := func(word string) bool { return strings.Contains(lines[i], word) }
	switch {
	case is("fence.mbarrier_init"): // the thread's fence.proxy.async does the same
		return true
	case is("try_wait") && strings.HasPrefix(lines[i-2], "\tmov.b32"): // the second ring begins later only to be faster
		return true
	case strings.HasSuffix(section, "// weights") && is("mbarrier.arrive.shared"): // what it waits for
		return true
	case strings.HasSuffix(section, "// first layers") && !is("fence") && !is("try_wait"):
		if is("bar.sync") { // of many channels, the ring has told all of the reads that matter
			return tower.Channels == 256
		}
		return !is("wait_group.sync.aligned 0") // stages that nobody fills any more
	case is("bar.sync"): // another one that waits for no fewer is near
		near := func(line string) bool {
			return strings.HasPrefix(line, "\tbar.sync") && strings.HasSuffix(line, ", 320;")
		}
		return strings.HasPrefix(lines[i+3], "\tbar.sync") || is("bar.sync 11, 256") && slices.ContainsFunc(lines[i-12:i], near)
	}
	return false
}

// TestMutations removes or changes synchronizations of the kernels, one at a time: every eighth of those for 64
// channels, or with the flag -mutations all. The interpreter must report it.
func TestMutations(t *testing.T) {
	for k, tower := range towers(t) {
		if !*everything && tower.Channels > 64 {
			continue
		}
		t.Run(tower.Kernel, func(t *testing.T) {
			text, err := tower.PTX()
			if err != nil {
				t.Fatal(err)
			}
			n := hoppertest.New(tower.Channels, 2, 2, 1)
			mutate(t, k, text, func(lines []string, i int) bool { return harmless(tower, lines, i) }, func(text []byte, seed uint64) error {
				_, _, err := interpret(t, tower, text, n, tower.Boards, seed)
				return err
			})
		})
	}
}

// mutate tries the mutations of a text, of eight that with the number k, except where they are harmless.
func mutate(t *testing.T, k int, text []byte, harmless func(lines []string, i int) bool, run func(text []byte, seed uint64) error) {
	lines := strings.Split(string(text), "\n")
	tried := 0
	for i, line := range lines {
		for _, other := range mutations(line) {
			if tried++; harmless(lines, i) || !*everything && tried%8 != k {
				continue
			}
			wrong := slices.Clone(lines)
			wrong[i] = other
			var fault *ptx.Fault
			for seed := uint64(0); seed < 8 && fault == nil; seed++ {
				if err := run([]byte(strings.Join(wrong, "\n")), seed); err != nil && !errors.As(err, &fault) {
					t.Fatalf("line %d: %v", i+1, err)
				}
			}
			if fault == nil {
				t.Errorf("line %d as %q is not reported: %s", i+1, other, line)
			}
		}
	}
	if tried < 30 {
		t.Errorf("only %d mutations", tried)
	}
}

// TestChainMutations does the same to chains.
func TestChainMutations(t *testing.T) {
	for k, c := range hopper.Chains() {
		if !*everything && (c.Each == 4 || c.Channels > 64) {
			continue
		}
		t.Run(c.Kernel(), func(t *testing.T) {
			all := chainText(t, c)
			pack, err := ptx.Parse(all)
			if err != nil {
				t.Fatal(err)
			}
			mutate(t, k, entry(all, c.Kernel()), harmlessInChain, func(text []byte, seed uint64) error {
				chain, err := ptx.Parse(text)
				if err != nil {
					return err
				}
				err = newChainRun(c, c.Boards(), 3, false, seed).run(chain, pack)
				if errors.Is(err, errOther) {
					return nil // nothing was reported
				}
				return err
			})
		})
	}
}
