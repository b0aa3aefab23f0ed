// Package think searches one game with all cores: what stands behind an engine
// that is given time. (Self-play and matches between networks play many games at
// once, and are served better by a search for each.)
//
// There is one tree, an [mcts.Search], under a lock. Each thread takes a few
// leaves from it, evaluates them as a batch outside of the lock, and hands them
// back; leaves in flight count as losses and so send the others elsewhere. The
// tree stays from step to step and from turn to turn as long as the game goes on
// from where it stands.
//
// With one thread and limits on visits alone a turn is a function of the game
// and the tree kept; with more threads or a clock it is not.
package think
