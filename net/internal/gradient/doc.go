// Package gradient holds the numeric loops of training: each operation of the
// network run forward over a whole batch, and its gradients.
//
// It is plain Go, with gonum's outer product for the matrix products, and uses
// as many goroutines as Workers says without that changing a bit of the
// result. Inference has kernels of its own, made for small batches and one
// goroutine: package kernel.
//
// Activations lie with channels last, [board][square][channel], and boards are
// 8x8.
package gradient
