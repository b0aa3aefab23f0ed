// Package gradient has the operations of training. Each runs forward over a whole
// batch and computes its gradients.
//
// Package kernel does the arithmetic. This package distributes it over Workers
// goroutines; their number does not change a bit of the result.
//
// Activations have the channels last, [board][square][channel]. Boards are 8x8.
package gradient
