package eval

import "errors"

// Backend evaluates positions with one network on one device. It is safe for
// concurrent use. A back end that keeps weights on a device does so only while
// it has open streams, so closing the last one releases them.
type Backend interface {
	// Attributes says what the back end is. They never change.
	Attributes() Attributes
	// Open returns a stream of its own for a caller whose batches have at most
	// batch positions, at least 1. Memory is proportional to batch.
	Open(batch int) (Stream, error)
}

// Stream evaluates batches in the order in which they are submitted. It is for
// one goroutine at a time.
type Stream interface {
	// Submit begins the evaluation of a batch. The batch, its positions and
	// its actions must not be touched until Collect returns it. Submit waits if
	// Attributes.Depth batches are under way already.
	Submit(*Batch) error
	// Collect waits for the batch that was submitted first of those not yet
	// collected, and returns it with its priors and values filled in. After an
	// error the batch has no results, and ErrLost says whether the stream
	// can still be used.
	Collect() (*Batch, error)
	// Close releases the stream. Batches not collected are dropped.
	Close() error
}

// ErrLost is wrapped by the error of a stream whose device is gone: unplugged,
// reset or out of memory. No stream of its back end can be used any more.
var ErrLost = errors.New("the device is lost")

// ErrNothingSubmitted is what Collect returns when every batch has been
// collected.
var ErrNothingSubmitted = errors.New("no batch has been submitted")

// Attributes describe a back end.
type Attributes struct {
	Device    string // where it computes, such as "cpu"
	Path      string // how it computes, such as "avx512"; results are the same bits within a path only
	Precision string // of the numbers in the tower, such as "fp32"

	Best  int // smallest batch at which it is about as fast as it gets
	Most  int // largest batch it takes; 0 is no limit
	Depth int // batches under way that a stream can make use of, at least 1

	Reproducible Reproducible
}

// Reproducible says what the bits of a position's evaluation depend on, within
// one path and one network.
type Reproducible uint8

const (
	// ByPosition: on the position alone.
	ByPosition Reproducible = iota
	// ByBatch: also on the batch that the position is in.
	ByBatch
	// Never: two evaluations of one batch may differ.
	Never
)

// String returns what the bits depend on, in words.
func (r Reproducible) String() string {
	switch r {
	case ByPosition:
		return "the position alone"
	case ByBatch:
		return "the position and its batch"
	}
	return "chance"
}
