// Package graph trains networks on the processor. It uses a Gorgonia graph of
// custom operations, which run on the kernels of internal/kernel and on several
// cores (package internal/learn/gradient).
//
// The graph of a network is built from its description (net.Config) and its table
// of heads. Each head names its loss, which is an operation in loss.go.
//
// The package is the reference for other trainers. Its gradients are tested
// against finite differences.
package graph
