// Package eval defines the interface between the callers that need positions
// evaluated (self-play, matches, engines) and the back ends that evaluate them: the
// processor (package internal/eval/cpu), a graphics processor (package internal/eval/gpu), or the evaluator
// without knowledge ([Uniform]).
//
// A [Backend] evaluates with one network on one device. Each goroutine opens its
// own [Stream], submits batches and collects them in the same order, so a device
// can work on one batch while the next is gathered. A [Batch] carries positions to
// the back end, and priors and values back.
//
// Wrappers add a function to a back end: [Merge] combines small batches of several
// streams into large ones, divides those that are too large, and shares them among
// several devices; [Cached] caches evaluations; and [Checked] compares some evaluations
// with those of another back end.
//
// Package internal/eval/device has the list of back ends, and the function with which every
// command opens a network. A new back end is a package that implements Backend,
// and a line in that list.
package eval
