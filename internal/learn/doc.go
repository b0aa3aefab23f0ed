// Package learn defines the interface between the training loop and the code that
// trains a network. A [Trainer] makes steps on batches, measures losses, and saves
// and restores everything that a checkpoint must keep. The package also has what
// trainers share: the [Batch], the optimisers, the averaged weights and the
// learning rate's schedule.
//
// Package internal/learn/graph trains on the processor with a Gorgonia graph. It is the
// reference for any other trainer. Package internal/learn/gpu trains on a graphics processor.
//
// The heads of the network (net.Config.Heads) determine what it learns: a batch
// has one target, and the losses have one entry, for each head.
package learn
