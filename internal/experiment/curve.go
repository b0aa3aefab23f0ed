package experiment

import "sort"

// curve is a function of time, linear between its points. x ascends, and y must
// ascend too where the inverse is used. It begins at the origin.
type curve struct{ x, y []float64 }

func newCurve() *curve { return &curve{x: []float64{0}, y: []float64{0}} }

func (c *curve) add(x, y float64) {
	c.x, c.y = append(c.x, x), append(c.y, y)
}

// at returns y at x. Beyond the last point it continues with the last slope.
func (c *curve) at(x float64) float64 { return interpolate(c.x, c.y, x) }

// when returns the x at which the curve reaches y.
func (c *curve) when(y float64) float64 { return interpolate(c.y, c.x, y) }

// end returns the last x.
func (c *curve) end() float64 { return c.x[len(c.x)-1] }

func interpolate(x, y []float64, at float64) float64 {
	n := len(x)
	if n == 1 {
		return y[0]
	}
	i := min(max(sort.SearchFloat64s(x, at), 1), n-1)
	for i > 1 && x[i] == x[i-1] {
		i--
	}
	if x[i] == x[i-1] {
		return y[i]
	}
	return y[i-1] + (y[i]-y[i-1])*(at-x[i-1])/(x[i]-x[i-1])
}
