package experiment

import (
	"slices"
	"strings"
	"testing"
)

// Every change is in half of the runs, and any two and any three are balanced too. So the mean of a
// change is confused neither with another nor with what two others do together.
func TestDesignIsBalanced(t *testing.T) {
	for factors, runs := range map[int]int{1: 2, 2: 4, 3: 8, 4: 8, 5: 16, 7: 16, 8: 16, 9: 32, 16: 32} {
		rows := design(factors)
		if len(rows) != runs {
			t.Errorf("%d factors have %d runs, want %d", factors, len(rows), runs)
		}
		if slices.Contains(rows[0], true) {
			t.Errorf("the first of %d factors' runs has %v, want none", factors, rows[0])
		}
		// sum is how many more runs have an even number of these factors than an odd one.
		sum := func(some ...int) (n int) {
			for _, row := range rows {
				sign := 1
				for _, i := range some {
					if row[i] {
						sign = -sign
					}
				}
				n += sign
			}
			return n
		}
		for i := range factors {
			if sum(i) != 0 {
				t.Errorf("of %d factors, %d is not in half of the runs", factors, i)
			}
			for j := range i {
				if sum(i, j) != 0 {
					t.Errorf("of %d factors, %d and %d are not balanced", factors, i, j)
				}
				for k := range j {
					if sum(i, j, k) != 0 {
						t.Errorf("of %d factors, %d, %d and %d are not balanced", factors, i, j, k)
					}
				}
			}
		}
	}
}

func TestFactorialVariants(t *testing.T) {
	variants, err := Factorial("smoke", []string{"c:search.cpuct_init=0.5", "b:learner.batch=16,learner.ema_decay=0.9"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range variants {
		list, err := differences(variants[0].Settings, v.Settings)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v.Name+": "+describe(list))
	}
	want := []string{
		"none: nothing",
		"c: `search.cpuct_init` 0.5 instead of 0.25",
		"b: `learner.batch` 16 instead of 32, `learner.ema_decay` 0.9 instead of 0.99",
		"c.b: `learner.batch` 16 instead of 32, `learner.ema_decay` 0.9 instead of 0.99, `search.cpuct_init` 0.5 instead of 0.25",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the variants are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestBadFactorsAreNamed(t *testing.T) {
	for _, c := range []struct {
		changes []string
		want    string
	}{
		{[]string{"a:search.cpuct_init=0.25", "a:learner.batch=16"}, "called a"},
		{[]string{"none:search.cpuct_init=0.25"}, "called none"},
		{[]string{"a"}, `"a" changes nothing`},
		{[]string{"a:learner.batch=8", "b:learner.batch=16"}, "a and b both set learner.batch"},
		{[]string{"a:learner.bacth=8"}, "did you mean learner.batch"},
		{[]string{"a:seed=8"}, "the experiment decides it"},
		{slices.Repeat([]string{"a:learner.batch=8"}, 17), "at most 16"},
	} {
		if _, err := Factorial("smoke", c.changes); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want one that says %q", c.changes, err, c.want)
		}
	}
}
