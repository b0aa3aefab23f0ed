// Package gpu evaluates networks on a graphics processor, over package
// internal/compute: OpenCL or CUDA.
//
// A batch goes to the device as bit planes and lists of legal actions, and comes back as the
// chances of these actions and those that heads give. Several batches are in flight at once, each with
// memory and a queue of its own, so the device works while the host prepares the next.
//
// The evaluation of a position has the same bits whatever its batch. When a network is put on a
// device, a few positions are compared with the processor's results, and a device whose results
// differ is refused.
package gpu
