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
// gradient come back. The weights come back when they are asked for.
package gpu
