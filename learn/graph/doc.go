// Package graph trains networks on the processor: a Gorgonia graph over
// operations of our own, which run on the kernels of internal/kernel and over
// several cores (package learn/internal/gradient).
//
// The graph of a network is made from its description (net.Config) and its
// table of heads. Each head's loss is an operation in loss.go, found by the
// name that the head gives.
//
// It is the reference that other trainers are held to, and its own gradients
// are held to finite differences.
package graph
