package chart

import (
	"math"
	"strconv"
)

// axis maps values to pixels.
type axis struct {
	low, high float64 // values
	from, to  float64 // pixels
}

func newAxis(from, to float64) axis { return axis{math.Inf(1), math.Inf(-1), from, to} }

// take widens the axis to include the values low and high.
func (a *axis) take(low, high float64) {
	a.low, a.high = min(a.low, low), max(a.high, high)
}

// padded returns the axis with some room at both ends.
func (a axis) padded() axis {
	if a.low > a.high { // the axis is empty
		a.low, a.high = 0, 1
	}
	room := (a.high - a.low) / 20
	if room == 0 {
		room = 1
	}
	a.low, a.high = a.low-room, a.high+room
	return a
}

func (a axis) at(v float64) float64 {
	return a.from + (v-a.low)/(a.high-a.low)*(a.to-a.from)
}

// ticks returns about six round values along the axis.
func (a axis) ticks() []float64 {
	step := math.Pow(10, math.Floor(math.Log10((a.high-a.low)/6)))
	for _, m := range []float64{1, 2, 5, 10} {
		if (a.high-a.low)/(step*m) <= 8 {
			step *= m
			break
		}
	}
	var list []float64
	for k := math.Ceil(a.low / step); k*step <= a.high; k++ {
		list = append(list, k*step)
	}
	return list
}

// number formats a tick.
func number(v float64) string {
	if v == 0 {
		return "0" // not -0
	}
	return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64)
}
