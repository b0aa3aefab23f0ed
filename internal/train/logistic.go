package train

import "math"

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
		// One row for each weight: the second derivatives, then the negated first one.
		m := make([][]float64, n)
		for i := range m {
			m[i] = make([]float64, n+1)
			m[i][i], m[i][n] = 1, -w[i]
		}
		for k, row := range x {
			p := chance(w, row)
			for i, v := range row {
				for j, u := range row {
					m[i][j] += p * (1 - p) * v * u
				}
				m[i][n] += (y[k] - p) * v
			}
		}
		size := 0.0
		for i, d := range solve(m) {
			w[i] += d
			size += d * d
		}
		if size < 1e-12 {
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

// solve solves a system of equations with a positive definite matrix by Gaussian elimination. The last
// column of m is the right side. It changes m.
func solve(m [][]float64) []float64 {
	for i := range m {
		for k := i + 1; k < len(m); k++ {
			f := m[k][i] / m[i][i]
			for j := i; j <= len(m); j++ {
				m[k][j] -= f * m[i][j]
			}
		}
	}
	x := make([]float64, len(m))
	for i := len(m) - 1; i >= 0; i-- {
		x[i] = m[i][len(m)]
		for j := i + 1; j < len(m); j++ {
			x[i] -= m[i][j] * x[j]
		}
		x[i] /= m[i][i]
	}
	return x
}
