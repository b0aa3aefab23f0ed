package experiment

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// mostFactors is the largest number of changes in a factorial design, which needs twice as many
// variants.
const mostFactors = 16

// Factorial returns variants that try several changes of the base settings at once, each given as
// for [ParseVariant]. Every change is in half of the variants, and every two and every three of
// them are combined in all ways equally often. So the networks with a change and those without
// differ, on average, by that change alone, and every run says something about every change: eight
// changes need 16 runs, and each is measured by 8 runs against 8. An effect that two changes have
// only together is attributed to neither (fractional factorial design of resolution IV: Box and
// Hunter 1961). The first variant has none of the changes.
func Factorial(base string, changes []string) ([]Variant, error) {
	if len(changes) > mostFactors {
		return nil, fmt.Errorf("there are %d factors, at most %d can be tried at once: leave some for another experiment", len(changes), mostFactors)
	}
	names := make([]string, len(changes))
	sets := make([][]string, len(changes))
	owner := map[string]string{} // of a key: the change that sets it
	for i, text := range changes {
		var err error
		if names[i], sets[i], err = cutVariant(text); err != nil {
			return nil, err
		}
		if names[i] == none || slices.Contains(names[:i], names[i]) {
			return nil, fmt.Errorf("two factors or variants are called %s: give one another name", names[i])
		}
		if len(sets[i]) == 0 {
			return nil, fmt.Errorf("the factor %q changes nothing: say what it sets, as in even:selfplay.surprise_weight=0", names[i])
		}
		for _, setting := range sets[i] {
			key, _, _ := strings.Cut(setting, "=")
			if other, taken := owner[key]; taken {
				return nil, fmt.Errorf("the factors %s and %s both set %s: put it into one of them", other, names[i], key)
			}
			owner[key] = names[i]
		}
	}
	var variants []Variant
	for _, row := range design(len(changes)) {
		var with, set []string
		for i, has := range row {
			if has {
				with = append(with, names[i])
				set = append(set, sets[i]...)
			}
		}
		if with == nil {
			with = []string{none}
		}
		v, err := newVariant(base, strings.Join(with, "."), "", set)
		if err != nil {
			return nil, err
		}
		variants = append(variants, v)
	}
	return variants, nil
}

// none is the variant of a factorial design without any of its changes.
const none = "none"

// design returns which factors each run of a two-level design has; the first has none. The columns are
// parities of the bits of the run's number. Those of an odd number of bits are a design of resolution IV,
// since three of them never cancel.
func design(factors int) (rows [][]bool) {
	runs := 2
	for runs < 2*factors {
		runs *= 2
	}
	var columns []uint
	for mask := uint(1); mask < uint(runs); mask++ {
		if bits.OnesCount(mask)%2 == 1 {
			columns = append(columns, mask)
		}
	}
	for run := range uint(runs) {
		row := make([]bool, factors)
		for i := range row {
			row[i] = bits.OnesCount(run&columns[i])%2 == 1
		}
		rows = append(rows, row)
	}
	return rows
}
