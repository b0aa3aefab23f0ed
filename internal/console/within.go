package console

import (
	"fmt"
	"strconv"
)

// Within returns an error unless the value of a flag is from low to high. NaN is not.
func Within(flag string, value, low, high float64) error {
	if value >= low && value <= high {
		return nil
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	return fmt.Errorf("%s is %s, must be from %s to %s", flag, number(value), number(low), number(high))
}
