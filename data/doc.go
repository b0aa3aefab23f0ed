// Package data keeps the games of a run and hands out training samples from them.
//
// It stands between self-play, which finishes games, and training, which learns from positions.
// It knows the rules ([warren/game]) and nothing of networks or searches.
//
//   - A [Record] is one finished game with the search and the training target of every decision.
//   - A shard ([WriteShard], [OpenShard]) is a Parquet file of records. It never changes.
//   - A [Writer] gathers finished games and saves them in shards, in the background.
//   - An [Index] ([Scan]) says which games a directory of shards holds. Damaged shards are set aside.
//   - A [Window] holds the newest games up to a number of positions and samples uniformly from them.
//     A [Replay] is the two windows of a run, one for training and one held out.
//   - A [Target] is what the rest of a game teaches about a sample beyond its policy and its value.
//
// # Identity and versions
//
// A shard is verified by its bytes alone: its name has the hash of its content, and no byte is
// interpreted before the hash is checked. A record's identity is the hash stored with it, which is
// computed when the record is first written. Neither depends on how the program of today would
// encode a game, so later versions of the format leave old files valid.
//
// Every shard says its format version. Each older version has a reader of its own, in a file of its
// own, which returns records as they are today. A shard of a newer version is refused with an error
// and left alone.
//
// The same records with the same arrival number make the same bytes: no clock, host name or random
// number enters a shard.
//
// # The order of games
//
// A window keeps the newest games, so it needs an order that is the same in a run that was never
// interrupted and in one that was restored from its shards. That order is: arrival number, then
// game number, then hash. The arrival number is stored in the shard and shared by all its games.
// Version 1 did not have it, so those shards have number 0 and come first.
//
// A [Writer] gives each shard the next number. A game is then as new as the shard it was saved in,
// even if games with higher numbers arrived long before. One goroutine writes the shards of a
// directory one after the other, so the numbers ascend. A damaged shard leaves a gap, which changes
// nothing for the others. Two shards with the same number, from two directories put together, say,
// are ordered by the numbers of their games.
//
// A synchronous run must give the same weights whatever its workers do. Which games share a shard
// depends on the workers' timing there, and on where the run was interrupted, so the order must not
// depend on shards. Such a run gives all of its shards the same arrival number
// ([WriterConfig.ByNumber]), and the game number decides. This is an order of arrival as well: every
// game of a generation has a higher number than those of all generations before, and all of them
// are saved before any is learnt from.
//
// The content of a window is a function of the set of records and arrival numbers added, and not of
// the order of the calls. Samples depend on that content and the given random source, and on nothing
// else.
//
// # What a kill can lose
//
// A game is safe when its shard is written, synced and renamed, and only then does a [Writer] report
// it. A kill loses the games that were not reported, at most two shards' worth for a writer, and
// never damages a shard. [Writer.Flush] leaves no game unsaved.
package data
