package train

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// logistic fits a logistic regression: weights w such that 1/(1+exp(-w·x)) is the chance that y is 1. Rows
// of x have equal lengths, and y has a value from 0 to 1 for each. Newton's method finds the weights of the
// highest likelihood, with a penalty of half their squared length, which keeps them finite.
func logistic(x [][]float64, y []float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	n := len(x[0])
	w := make([]float64, n)
	for range 20 {
		curvature, slope := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
		for i := range w {
			curvature.SetSym(i, i, 1)
			slope.SetVec(i, -w[i])
		}
		for k, row := range x {
			p, v := chance(w, row), mat.NewVecDense(n, row)
			curvature.SymRankOne(curvature, p*(1-p), v)
			slope.AddScaledVec(slope, y[k]-p, v)
		}
		var c mat.Cholesky
		var step mat.VecDense
		if !c.Factorize(curvature) { // positive definite by the penalty, unless it has what is not a number
			break
		}
		c.SolveVecTo(&step, slope)
		floats.Add(w, step.RawVector().Data)
		if mat.Dot(&step, &step) < 1e-12 {
			break
		}
	}
	return w
}

// chance returns 1/(1+exp(-w·x)).
func chance(w, x []float64) float64 {
	sum := 0.0
	for i := range w {
		sum += w[i] * x[i]
	}
	return 1 / (1 + math.Exp(-sum))
}
