// Package portable has elementary functions and random variates with the same bits on every processor.
// Those of packages math and math/rand/v2 are assembly on some processors, and their products are fused
// with sums on others. The errors of Exp and Log are less than one unit in the last place.
package portable

import "math"

// Exp returns e**x. It is 0 or +Inf for x below -700 or above 700.
//
// Source: FreeBSD, lib/msun/src/e_exp.c.
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x < -700:
		return 0
	case x > 700:
		return math.Inf(1)
	}
	const (
		high = 6.93147180369123816490e-01 // of ln 2; few bits, so that products by it are exact
		low  = 1.90821492927058770002e-10 // ln 2 - high
		p1   = 1.66666666666666657415e-01
		p2   = -2.77777777770155933842e-03
		p3   = 6.61375632143793436117e-05
		p4   = -1.65339022054652515390e-06
		p5   = 4.13813679705723846039e-08
	)
	k := math.RoundToEven(x * math.Log2E)
	// The conversions keep products from being fused with sums, which not all processors do.
	hi, lo := x-float64(k*high), float64(k*low)
	r := hi - lo
	t := float64(r * r)
	c := p4 + float64(t*p5)
	c = p3 + float64(t*c)
	c = p2 + float64(t*c)
	c = p1 + float64(t*c)
	c = r - float64(t*c)
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	return math.Float64frombits(math.Float64bits(y) + uint64(int64(k))<<52)
}

// Log returns the natural logarithm of x.
//
// Source: FreeBSD, lib/msun/src/e_log.c.
func Log(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	const (
		high = 6.93147180369123816490e-01 // of ln 2; few bits, so that products by it are exact
		low  = 1.90821492927058770002e-10 // ln 2 - high
		l1   = 6.666666666666735130e-01
		l2   = 3.999999999940941908e-01
		l3   = 2.857142874366239149e-01
		l4   = 2.222219843214978396e-01
		l5   = 1.818357216161805012e-01
		l6   = 1.531383769920937332e-01
		l7   = 1.479819860511658591e-01
	)
	f1, exponent := math.Frexp(x)
	if f1 < math.Sqrt2/2 {
		f1 *= 2
		exponent--
	}
	f, k := f1-1, float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t1 := l5 + float64(s4*l7)
	t1 = l3 + float64(s4*t1)
	t1 = float64(s2 * (l1 + float64(s4*t1)))
	t2 := l4 + float64(s4*l6)
	t2 = float64(s4 * (l2 + float64(s4*t2)))
	r, half := t1+t2, float64(0.5*f*f)
	return float64(k*high) - ((half - (float64(s*(half+r)) + float64(k*low))) - f)
}

// Pow returns x**y for x and y of 0 or more. Its relative error grows with the logarithm of the result.
func Pow(x, y float64) float64 {
	switch {
	case y == 0:
		return 1
	case y == 1 || x == 0 || x == 1:
		return x
	}
	return Exp(y * Log(x))
}
