// Package gpu trains networks on a graphics processor, over package
// internal/compute: OpenCL or CUDA. Losses, gradients, the optimiser's update and the
// averaged weights are computed there, in fp32 or in mixed precision.
//
// Like package internal/learn/graph, its reference, it builds the forward and the backward
// pass from the network's description and its table of heads. A step is then a list of
// kernels. Each sum has a fixed order, so the same weights and batch give the same
// bits on the same device.
//
// Positions and targets go to the device for each step. The losses and the norm of the
// gradient come back. The weights come back when they are asked for. While the device computes
// a step, the host draws and sends the next minibatch; if the replay window changes in between,
// it is drawn again.
//
// In mixed precision (Micikevicius et al. 2018), the convolutions of the trunk and the layers of
// the heads that read it multiply numbers in bf16 and add in fp32. Boards of the trunk and their
// gradients are kept in bf16, whose range is that of fp32, so no loss needs a scale. Parameters,
// moments, their gradients and the rest of the heads are in fp32. The gradients by the weights of
// all 3x3 convolutions are one launch, in parts that are added in order.
//
// With CUDA 11.4, a step is two graphs: the forward pass, and the rest. Kernels that need nothing
// of one another, such as those of different heads, are branches of a graph. On compute capability
// 9.0, chains of convolutions and the gradients by their weights are kernels of package hopper. If
// those fail where the kernels for all cards do not, learning uses these, with one warning.
package gpu
