// Package gradient holds the operations of training: each run forward over a
// whole batch, and its gradients.
//
// The arithmetic is that of package kernel; here it is spread over as many
// goroutines as Workers says, without that changing a bit of the result.
//
// Activations lie with channels last, [board][square][channel], and boards are
// 8x8.
package gradient
