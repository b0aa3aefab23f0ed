// Package eval is the contract between those who want positions evaluated
// (self-play, matches, thinking about one game) and what evaluates them: the
// processor (package eval/cpu), one day an accelerator, or the evaluator that
// knows nothing ([Uniform]).
//
// A [Backend] evaluates with one network on one device. A goroutine opens a
// [Stream] of its own, submits batches to it and collects them again in the
// same order, so a device can work on one batch while the next is gathered. A
// [Batch] is positions on the way in, and priors and values on the way out.
//
// Wrappers are back ends over back ends: [Merge] makes large batches of the
// small ones of several streams, [Split] small ones of large ones, and [Cached]
// remembers positions.
//
// Package eval/device has the list of back ends, and the one function by which
// every command opens a network. A new back end is a package that implements
// Backend, and a line in that list.
package eval
