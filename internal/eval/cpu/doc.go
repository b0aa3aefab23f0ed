// Package cpu evaluates networks on the processor. A [Plan] runs a network with
// the kernels of package internal/kernel. A group of positions goes through all
// layers together, so activations stay in the cache.
//
// [New] returns the back end of a network. It packs the weights once for all
// streams.
package cpu
