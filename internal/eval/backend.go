package eval

import "errors"

// Backend evaluates positions with one network on one device. It is safe for
// concurrent use. A back end that keeps weights on a device does so only while
// it has open streams, so closing the last one releases them.
type Backend interface {
	// Attributes describes the back end. The attributes never change.
	Attributes() Attributes
	// Open returns a new stream for batches of at most batch positions, at least
	// 1. Its memory is proportional to batch.
	Open(batch int) (Stream, error)
}

// Stream evaluates batches in the order in which they are submitted. Only one
// goroutine may use it at a time.
type Stream interface {
	// Submit begins the evaluation of a batch. The batch, its positions and its
	// actions must not be touched until Collect returns the batch. Submit may
	// wait for the batches before it.
	Submit(*Batch) error
	// Collect waits for the oldest batch that has not been collected, and returns
	// it with its priors and values filled in. After an error the batch has no
	// results. If the error wraps ErrLost, the stream can no longer be used.
	Collect() (*Batch, error)
	// Close releases the stream and drops batches that have not been collected.
	Close() error
}

// ErrLost is wrapped by the error of a stream whose device is lost: unplugged,
// reset, out of memory, or found to compute wrong results. No stream of its back end
// can be used any more.
var ErrLost = errors.New("the device is lost")

// ErrNothingSubmitted is returned by Collect if every batch has been collected.
var ErrNothingSubmitted = errors.New("no batch has been submitted")

// Attributes describe a back end.
type Attributes struct {
	Device string // where it computes, such as "cpu"
	// Path says how it computes, such as "avx512". The bits of an evaluation depend on
	// the path, the network and the position alone: not on the batch that contains the
	// position, and not on chance. Two paths may differ.
	Path      string
	Precision string // number format in the tower, such as "fp32"

	Best  int // smallest batch at which it reaches about its full speed
	Most  int // largest batch that it accepts; 0 means no limit
	Depth int // number of streams, each with a batch in flight, that keep it busy; 1 if it computes in the caller's goroutine

	// Usage is the time for which the device has had work, for all networks together; nil if it
	// computes in the caller's goroutine.
	Usage *Usage
	// Saturation counts, in a sample of the positions, those whose numbers reached the limit of the format;
	// nil if the format has none.
	Saturation *Saturation

	Stopped bool // whether it knows the chance that a game is stopped ([Batch.Stopped])
}
