package eval

// Func makes a back end of a function: it returns, for each stream, what
// evaluates a batch in the caller's goroutine. It serves tests, and evaluators
// that need no network.
type Func func(batch int) (evaluate func(*Batch) error, err error)

var _ Backend = Func(nil)

// Attributes says nothing about how the function computes.
func (Func) Attributes() Attributes {
	return Attributes{Device: "none", Path: "function", Precision: "fp32", Best: 1, Depth: 1}
}

// Open returns a stream over a function of its own.
func (f Func) Open(batch int) (Stream, error) {
	evaluate, err := f(batch)
	if err != nil {
		return nil, err
	}
	return &Immediate{Evaluate: evaluate}, nil
}
