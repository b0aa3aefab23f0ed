package quant

import (
	"math"
	"slices"
)

// Format says what the whole numbers of a board or a row stand for: the number q of channel c, from 0
// to Top, stands for q*Step[c].
type Format struct{ Step []float32 }

// Top is the largest activation.
const Top = math.MaxInt16

// Fitted returns a format for channels with the given largest values. They are Top if room is 1, and
// smaller in proportion if it is greater. A channel's step is at least a quarter of the largest, so
// that a channel which was hardly active has room too.
func Fitted(largest []float32, room float64) Format {
	peak := float32(1e-20) // so that no step is 0
	for _, v := range largest {
		peak = max(peak, v)
	}
	f := Format{make([]float32, len(largest))}
	for i, v := range largest {
		f.Step[i] = float32(float64(max(v, peak/4)) * room / Top)
	}
	return f
}

// Pooled returns the format of a row that Unit.Pool makes from a board of format f.
func (f Format) Pooled() Format { return Format{slices.Concat(f.Step, f.Step)} }
