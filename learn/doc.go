// Package learn is the contract between the training loop and what trains a
// network: a [Trainer] makes steps on batches, measures losses, and hands out
// and takes back everything that a checkpoint must keep. The package also has
// what trainers share: the [Batch], the optimisers and the learning rate's
// schedule.
//
// Package learn/graph trains on the processor by a Gorgonia graph, which is the
// reference for any other trainer.
//
// What is learnt follows from the heads of the network (net.Config.Heads): a
// batch has a target, and the losses have an entry, for each of them.
package learn
