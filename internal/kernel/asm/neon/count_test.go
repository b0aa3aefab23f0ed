package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// loops are how often loops of a routine run, by their labels. What is in none of them is not counted.
type loops = map[string]int

// TestInstructions counts the instructions of inner loops, divided by the numbers that they compute: the
// products of a matrix, or the channels of a board. It compares them with those of AVX2, whose
// vectors are twice as wide. With -v it prints them. Where a limit is above 1.3, a comment says why.
func TestInstructions(t *testing.T) {
	transform, tiles, halves := loops{"loop1": 1, "loop2": 8, "loop3": 2, "loop4": 6}, loops{"loop1": 1, "loop2": 2, "loop3": 2}, loops{"group": 1, "tile": 4}
	for _, c := range []struct {
		what, pkg, routine string
		numbers            int
		avx2, neon         loops
		most               float64
	}{
		// 96 multiply-adds and 10 loads are 1.31 times as many, without the loop, and fill all registers.
		{"product, 24 columns", "", "Product3", 4 * 24 * 4, loops{"rows4four": 1}, loops{"loop1": 1}, 1.34},
		{"product, 16 columns", "", "Product2", 4 * 16 * 4, loops{"rows4four": 1}, loops{"loop1": 1}, 1.3},
		{"product, 8 columns", "", "Product1", 8 * 8 * 4, loops{"rows8four": 1}, loops{"loop1": 1}, 1.3},
		// The 64 multiplications and 64 additions alone are 1.38 times as many.
		{"unfused product, 16 columns", "", "UnfusedProduct2", 4 * 16 * 4, loops{"rows4four": 1}, loops{"loop1": 1}, 1.49},
		{"outer products, 24 columns", "", "Outer3", 4 * 24 * 4, loops{"blocks": 1}, loops{"loop2": 1}, 1.3},
		{"input", "", "Input", 8, loops{"group": 1, "file": 8, "south": 6, "north": 6}, transform, 1.3},
		{"output", "", "Output", 8, halves, tiles, 1.3},
		{"output with residual", "", "OutputAdd", 8, halves, tiles, 1.3},
		{"adjoint of input", "", "InputAdjoint", 8, loops{"group": 1, "file": 8, "south": 6, "north": 6}, loops{"loop1": 1, "loop2": 2, "loop3": 6, "loop4": 8}, 1.3},
		{"adjoint of output", "", "OutputAdjoint", 8, halves, tiles, 1.3},
		{"axpy", "", "Axpy", 8, loops{"vector": 1}, loops{"loop1": 1}, 1.3},
		{"rectify", "", "Rectify", 8, loops{"vector": 1}, loops{"loop2": 1}, 1.3},
		{"pool", "", "Pool", 8 * 63, loops{"square": 63}, loops{"loop2": 21}, 1.3},
		// The 128 multiply-adds, of four products each, alone are 1.38 times as many.
		{"whole numbers: product", "quant/", "Product", 4 * 16 * 8, loops{"rows4": 1}, loops{"loop2": 1}, 1.49},
		{"whole numbers: product in bytes", "quant/", "Bytes", 4 * 16 * 8, loops{"rows4": 1}, loops{"loop5": 4}, 1},
		// 208 instructions that widen, 1040 of the transform, 576 that round, 352 loads and stores: these are 1.31 times
		// as many, without loops and addresses. AVX2 widens as it loads, and rounds two vectors at once.
		{"whole numbers: input", "quant/", "Input", 8, loops{"group": 1, "file": 8, "south": 6, "north": 6}, transform, 1.37},
		{"whole numbers: output", "quant/", "Output", 8, halves, tiles, 1.3},
		// 800 instructions of the transform, 128 for the bias, 384 for the residual, 320 that round, 400 loads and stores:
		// these are 1.33 times as many, without loops and addresses. AVX2 adds the bias and scales by the ratio from memory.
		{"whole numbers: output with residual", "quant/", "OutputAdd", 8, halves, tiles, 1.37},
		{"whole numbers: pool", "quant/", "Pool", 8 * 64, loops{"square": 64}, loops{"loop2": 16}, 1.3},
		{"whole numbers: narrow", "quant/", "Narrow", 8, loops{"vector": 1}, loops{"loop2": 1}, 1.3},
	} {
		theirs := c.routine
		if theirs == "Product" || theirs == "Bytes" {
			theirs = "Products"
		}
		avx2 := instructions(t, c.pkg+"avx2_amd64.s", "avx2"+theirs, c.avx2)
		neon := instructions(t, c.pkg+"neon_arm64.s", "neon"+c.routine, c.neon)
		ratio := float64(neon) / float64(avx2)
		n := float64(c.numbers)
		t.Logf("%-36s AVX2 %5d / %3d = %7.3f   NEON %5d / %3d = %7.3f   ratio %.2f",
			c.what, avx2, c.numbers, float64(avx2)/n, neon, c.numbers, float64(neon)/n, ratio)
		if ratio > c.most {
			t.Errorf("%s: %.3f times as many instructions as AVX2, want %v at most", c.what, ratio, c.most)
		}
	}
}

// instructions counts what a routine of a file executes in the loops.
func instructions(t *testing.T, file, routine string, run loops) int {
	text, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, body, found := strings.Cut(string(text), "TEXT ·"+routine+"(SB)")
	if !found {
		t.Fatalf("%s has no %s", file, routine)
	}
	_, body, _ = strings.Cut(body, "\n")
	body, _, _ = strings.Cut(body, "\n// func ")
	var lines []string
	labels := make(map[string]int) // the number of the line after each
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutSuffix(line, ":"); ok {
			labels[name] = len(lines)
		} else if line != "" && !strings.HasPrefix(line, "//") {
			lines = append(lines, line)
		}
	}
	times := make([]int, len(lines)) // 0 outside the loops
	branch := regexp.MustCompile(`^(?:J|B)[A-Z]* +(\w+)$`)
	for last, line := range lines {
		m := branch.FindStringSubmatch(line)
		if m == nil || run[m[1]] == 0 {
			continue
		}
		for i := labels[m[1]]; i <= last; i++ {
			times[i] = max(times[i], 1) * run[m[1]]
		}
	}
	sum := 0
	for _, n := range times {
		sum += n
	}
	if sum == 0 {
		t.Fatalf("%s: %s has none of the loops", file, routine)
	}
	return sum
}
