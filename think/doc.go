// Package think searches one game with several threads, for engines that play
// under a clock. (Self-play and matches between networks play many games at once,
// each with its own search.)
//
// All threads share one tree, an [mcts.Search] under a lock. Each thread takes a
// few leaves, evaluates them as a batch outside the lock, and returns them. Leaves
// in flight count as losses, which sends other threads elsewhere. The tree is kept
// from step to step and from turn to turn while the game continues from its root.
//
// A device that computes by itself gets larger batches. While some threads wait for it,
// the others gather leaves. At most a sixteenth of the tree's visits are in flight, so
// large batches begin when the tree is large.
//
// With one thread and no limit but visits, a turn depends only on the game and
// the kept tree. With more threads or a clock it also depends on timing.
package think
