package learn

// Each calls do once for every item from 0 to n-1, on one or several goroutines, and
// returns when all calls have returned.
type Each func(n int, do func(item int))

// inTurn is an Each on the caller's goroutine.
func inTurn(n int, do func(item int)) {
	for i := range n {
		do(i)
	}
}
