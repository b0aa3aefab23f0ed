// Package data stores the games of a run. Package data/replay draws training samples from them.
//
// It connects self-play, which produces games, with training, which consumes positions. It depends
// on the rules ([warren/game]) but not on networks or searches.
//
//   - A [Record] is one finished game with the search and the training target of every decision.
//   - A shard ([WriteShard], [OpenShard]) is a Parquet file of records. It never changes.
//   - A [Writer] collects finished games and saves them in shards, in the background.
//   - An [Index] ([Scan]) lists the games in a directory of shards. Damaged shards are renamed.
//
// # Identity and versions
//
// A shard is verified by its bytes alone: its name has the hash of its content, and no byte is
// interpreted before the hash is checked, except by [Span]. A record's identity is the hash stored with it, which is
// computed when the record is first written. Neither depends on how the current program encodes a
// game, so a game keeps its identity when it is converted to a later version of the format.
//
// Every shard has its format version. The program reads one version. It refuses a shard of another
// version with an error and leaves it unchanged. "warren convert" converts older shards.
//
// The same records with the same arrival number make the same bytes: no clock, host name or random
// number enters a shard.
//
// # Arrival numbers
//
// The replay window keeps the newest games. A shard's arrival number says how new its games are.
//
// A [Writer] gives each shard the next number. One goroutine writes the shards of a directory one after
// the other, so the numbers ascend. A damaged shard leaves a gap, which changes nothing for the others.
//
// A synchronous run must give the same weights whatever the timing of its workers. That timing, and
// interruptions, decide which games share a shard, so the order must not depend on shards. Such a
// run gives all of its shards the same arrival number ([WriterConfig.ByNumber]), so games are
// ordered by game number. This too is an order of arrival: every game of a generation has a higher
// number than all games of earlier generations, and all games of a generation are saved before any
// is trained on.
//
// # What a kill can lose
//
// A game is safe once its shard is written, synced and renamed. Only then does a [Writer] report it.
// A kill loses the games that are not reported, at most two shards' worth per writer, and never
// damages a shard. [Writer.Flush] saves every game.
package data
