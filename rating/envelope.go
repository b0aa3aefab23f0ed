package rating

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// envelope is the lower triangle of a symmetric matrix. Of each row it holds the
// numbers from the first that is not 0 to the diagonal. Its Cholesky factor has the
// same shape (George and Liu 1981, chapter 4). Where every player has met only those
// near to it in the order, the envelope is small, however many players there are.
type envelope struct {
	rows [][]float64
}

// newEnvelope returns a matrix of zeros. The numbers of row i begin in column
// first[i].
func newEnvelope(first []int) *envelope {
	e := &envelope{make([][]float64, len(first))}
	for i, f := range first {
		e.rows[i] = make([]float64, i-f+1)
	}
	return e
}

// first returns the column in which row i begins.
func (e *envelope) first(i int) int { return i + 1 - len(e.rows[i]) }

// set sets the number in row i and column j, which must be in the envelope.
func (e *envelope) set(i, j int, x float64) { e.rows[i][j-e.first(i)] = x }

// factorize replaces the matrix A by L, where A = L Lᵀ. It returns false if A is not
// positive definite.
func (e *envelope) factorize() bool {
	for i, row := range e.rows {
		f := e.first(i)
		for j := f; j <= i; j++ {
			g := e.first(j)
			both := max(f, g)
			x := row[j-f] - floats.Dot(row[both-f:j-f], e.rows[j][both-g:j-g])
			if j < i {
				row[j-f] = x / e.rows[j][j-g]
				continue
			}
			if !(x > 0) {
				return false
			}
			row[j-f] = math.Sqrt(x)
		}
	}
	return true
}

// forward replaces b by the solution y of L y = b.
func (e *envelope) forward(b []float64) {
	for i, row := range e.rows {
		last := len(row) - 1
		b[i] = (b[i] - floats.Dot(row[:last], b[i-last:i])) / row[last]
	}
}

// backward replaces y by the solution x of Lᵀ x = y.
func (e *envelope) backward(y []float64) {
	for i := len(e.rows) - 1; i >= 0; i-- {
		row, last := e.rows[i], len(e.rows[i])-1
		y[i] /= row[last]
		floats.AddScaled(y[i-last:i], -y[i], row[:last])
	}
}
