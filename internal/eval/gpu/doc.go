// Package gpu evaluates networks on a graphics processor, over package
// internal/compute: OpenCL or CUDA.
//
// A batch goes to the device as bit planes and lists of legal actions, and comes back as the
// chances of these actions and those that heads give. A stream has one batch in flight, with
// memory and a queue of its own; several streams, as [eval.Merge] opens them, keep the device busy while
// the host prepares batches.
//
// The evaluation of a position has the same bits whatever its batch. When a network is put on a
// device, a few positions are compared with the processor's results, and a device whose results
// differ is refused.
//
// A position goes to the device as 40 masks and values, 480 bytes. If package hopper or ampere has a kernel
// for the network and the device, one launch computes all but the heads. Otherwise a convolution is a
// launch. On tensor cores it is an implicit matrix product by mma.m16n8k16, in which a work group keeps 16
// channels of 4 boards in local memory; elsewhere a work item computes 4 outputs on a rank. The first
// layers of all heads are one product, and their last layers and the softmax one launch each. The kernels of
// package ampere give the same bits as single operations. Tensor cores add several products at once in an
// order of their own, so their paths name the compute capability and the instruction.
//
// NewInt8 rounds residual blocks to whole numbers of 8 bits, by the kernels of package hopper. The rounding
// depends on the network alone.
package gpu
