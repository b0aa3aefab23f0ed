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
	rows    [][]float64
	numbers []float64 // of all rows
}

// newEnvelope returns a matrix of zeros. The numbers of row i begin in column
// first[i].
func newEnvelope(first []int) *envelope {
	size := 0
	for i, f := range first {
		size += i - f + 1
	}
	e := &envelope{make([][]float64, len(first)), make([]float64, size)}
	rest := e.numbers
	for i, f := range first {
		e.rows[i], rest = rest[:i-f+1], rest[i-f+1:]
	}
	return e
}

// first returns the column in which row i begins.
func (e *envelope) first(i int) int { return i + 1 - len(e.rows[i]) }

// at returns the number in row i and column j, or row j and column i. It must be in
// the envelope.
func (e *envelope) at(i, j int) *float64 {
	if i < j {
		i, j = j, i
	}
	return &e.rows[i][j-e.first(i)]
}

// factorize replaces the matrix A by L, where A = L Lᵀ, and returns the logarithm of
// the determinant of A. It returns false if A is not positive definite.
func (e *envelope) factorize() (logDet float64, ok bool) {
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
				return 0, false
			}
			row[j-f] = math.Sqrt(x)
			logDet += math.Log(x)
		}
	}
	return logDet, true
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

// columns returns, for each column, the rows below the diagonal whose envelope
// includes it.
func (e *envelope) columns() [][]int {
	count := make([]int, len(e.rows))
	for i := range e.rows {
		for j := e.first(i); j < i; j++ {
			count[j]++
		}
	}
	rest := make([]int, len(e.numbers)-len(e.rows))
	below := make([][]int, len(e.rows))
	for j, n := range count {
		below[j], rest = rest[:0:n], rest[n:]
	}
	for i := range e.rows {
		for j := e.first(i); j < i; j++ {
			below[j] = append(below[j], i)
		}
	}
	return below
}

// invert replaces the factor L of A by the numbers of the inverse of A that lie in
// the envelope (Takahashi, Fagan and Chin 1973; Erisman and Tinney 1975). It needs
// the rest of the inverse for none of them. The argument is that of columns.
func (e *envelope) invert(below [][]int) {
	var l []float64
	for j := len(e.rows) - 1; j >= 0; j-- {
		diagonal := *e.at(j, j)
		l = l[:0]
		for _, k := range below[j] {
			l = append(l, *e.at(k, j))
		}
		// Z L is the transposed inverse of L: 0 below the diagonal, and 1/L[j,j] on it.
		for _, i := range below[j] {
			sum := 0.0
			for n, k := range below[j] {
				sum += *e.at(i, k) * l[n]
			}
			*e.at(i, j) = -sum / diagonal
		}
		sum := 0.0
		for n, k := range below[j] {
			sum += *e.at(k, j) * l[n]
		}
		*e.at(j, j) = (1/diagonal - sum) / diagonal
	}
}
