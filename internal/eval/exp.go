package eval

import "math"

// Exp returns e**x with an error of less than one unit in the last place. Unlike math.Exp, which is
// assembly on some processors, it has the same bits on all of them. Results outside the range of
// float32 may be 0 or +Inf.
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
