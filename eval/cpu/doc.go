// Package cpu evaluates networks on the processor. Its [Plan] runs a network
// over the kernels of package internal/kernel: a group of positions goes
// through all layers at once, so activations stay in the cache.
//
// [New] makes the back end of a network, which packs the weights once for all
// of its streams.
package cpu
