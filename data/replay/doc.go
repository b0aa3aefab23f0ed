// Package replay draws training samples from the games of a run.
//
//   - A [Window] holds the newest games up to a number of positions and samples uniformly from them,
//     or yields all of them.
//   - [Windows] are the two windows of a run, one for training and one held out. They are restored from
//     the shards of one run or several, each a [Source].
//   - A [Sample] is a position with its targets: the policy target, the value target, and for auxiliary
//     heads every [Target], most of which the rest of the game gives. The policy target of a placement
//     that was drawn from the policy is learned from all games of the window.
//
// # The order of games
//
// A window keeps the newest games, so it needs an order that is the same in an uninterrupted run and
// in one that is restored from its shards. Games are ordered by arrival number, then by game number,
// then by hash. The arrival number is stored in the shard and shared by all its games: see package data.
//
// A game is then as new as the shard it was saved in, even if games with higher numbers arrived long
// before. If two shards have the same number, for example because two directories were merged, their
// games are ordered by game number. In a synchronous run all shards have the same number.
//
// The content of a window depends only on the set of records and arrival numbers
// added, not on the order of the calls. Samples depend only on that content and on the given random
// source.
package replay
